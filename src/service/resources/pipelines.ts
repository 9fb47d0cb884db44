import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { pageOfAll, pageReply, readPageQuery, unknownCursor } from '../page.ts'
import { notFound } from '../problem.ts'
import type { Route, RouteCall, RouteReply } from '../route.ts'
import type { Pipeline, Stage } from '../store/store.ts'
import { routesOf } from './routes.ts'

export const pipelineRoutes: readonly Route[] = [
  ...routesOf(
    'pipeline',
    {
      list: async (store, call) => {
        const pipelines = await store.pipelines()
        return wholePageReply(
          call,
          pipelines.map(({ id, name }) => ({ id, name })),
        )
      },
    },
    { list: [undefined, 'The default pipeline first.'] },
  ),
  ...routesOf(
    'stage',
    {
      list: async (store, call) => {
        const pipeline = (await store.pipelines()).find((each) => each.id === call.id)
        if (!pipeline) throw notFound('pipeline', call.id)
        return wholePageReply(call, pipeline.stages)
      },
    },
    { list: ['List the stages of a pipeline', 'By position.'] },
  ),
]

/** The pipelines in a parsed file; the first is the default one. Errors name the path in the file. */
export function parsePipelines(file: unknown): Pipeline[] {
  const entries = listAt(objectAt(file, 'the file', ['pipelines']).pipelines, 'pipelines')
  const pipelines = entries.map((entry, index) => parsePipeline(entry, `pipelines[${index}]`))
  requireDistinct(pipelines.map(({ id }, index) => [id, `pipelines[${index}].id`]))
  requireDistinct(
    pipelines.flatMap(({ stages }, at) =>
      stages.map(({ id }, index) => [id, `pipelines[${at}].stages[${index}].id`] as const),
    ),
  )
  return pipelines
}

function parsePipeline(entry: unknown, path: string): Pipeline {
  const pipeline = objectAt(entry, path, ['id', 'name', 'stages'])
  const id = idAt(pipeline.id, `${path}.id`)
  const name = pipeline.name === undefined ? id : nameAt(pipeline.name, `${path}.name`)
  const stages = listAt(pipeline.stages, `${path}.stages`).map((stage, index) =>
    parseStage(typeof stage === 'string' ? { name: stage } : stage, {
      path: `${path}.stages[${index}]`,
      idStart: `${id}.`,
      position: index + 1,
    }),
  )
  requireDistinct(stages.map((stage, index) => [stage.name, `${path}.stages[${index}].name`]))
  return { id, name, stages }
}

/** `idStart` is the prefix of the id of a stage without one. */
function parseStage(entry: unknown, place: { path: string; idStart: string; position: number }): Stage {
  const { path, idStart, position } = place
  const stage = objectAt(entry, path, ['id', 'name', 'probability'])
  const name = nameAt(stage.name, `${path}.name`)
  // Filters separate values by commas, so a stage name cannot contain one.
  if (name.includes(',')) throw invalid(`${path}.name`, 'a name without a comma', name)
  const id = stage.id === undefined ? `${idStart}${slug(name, position)}` : idAt(stage.id, `${path}.id`)
  return { id, name, position, probability: probabilityAt(stage.probability, `${path}.probability`) }
}

function slug(name: string, position: number): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return text || `${position}`
}

function objectAt(value: unknown, path: string, members: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw invalid(path, `an object with ${members.join(', ')}`, value)
  const unknown = Object.keys(value).find((name) => !members.includes(name))
  if (unknown === undefined) return value
  throw invalid(`${path} member ${JSON.stringify(unknown)}`, `one of ${members.join(', ')}`, undefined)
}

function listAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value) && value.length > 0) return value
  throw invalid(path, 'a list that is not empty', value)
}

function idAt(value: unknown, path: string): string {
  if (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(value)) return value
  throw invalid(path, 'up to 64 letters, digits, dots, dashes and underscores', value)
}

function nameAt(value: unknown, path: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 200) return value
  throw invalid(path, 'a name of 1 to 200 characters', value)
}

function probabilityAt(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw invalid(path, 'a number from 0 to 1', value)
}

function requireDistinct(values: readonly (readonly [value: string, path: string])[]): void {
  const seen = new Set<string>()
  for (const [value, path] of values) {
    if (seen.has(value)) throw invalid(path, 'a unique value', value)
    seen.add(value)
  }
}

function invalid(path: string, expected: string, got: unknown): CrmError {
  const shown = got === undefined ? '' : `, got ${JSON.stringify(got).slice(0, 80)}`
  return new CrmError('invalid_input', `pipelines file: ${path}: expected ${expected}${shown}`, {
    hint: 'expected a file such as {"pipelines":[{"id":"sales","stages":["Lead",{"name":"Won","probability":1}]}]}',
  })
}

function wholePageReply(call: RouteCall, all: readonly { readonly id: string }[]): RouteReply {
  const unknown = () => unknownCursor(call.query.cursor ?? '')
  const { items, nextOlderThanId } = pageOfAll(all, readPageQuery(call), unknown)
  return pageReply(call, { texts: items.map((each) => JSON.stringify(each)), nextOlderThanId })
}
