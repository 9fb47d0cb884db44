import type { Api } from '../api/api.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject } from '../core/json.ts'
import { foldedText } from '../core/nearest.ts'

export interface PipelineNames {
  readonly id: string
  readonly name: string
  readonly stages: readonly string[]
}

/** A stage that deals of the source are in. */
export interface UsedStage {
  /** Undefined where deals show no pipeline. */
  readonly pipelineId: string | undefined
  readonly stage: string
}

/** Where its deals go; `pipelineId` is undefined where the target does not list pipelines. */
export interface TargetStage {
  readonly pipelineId: string | undefined
  readonly stage: string
}

export interface MissingStage extends UsedStage {
  readonly pipeline: string | undefined
  /** Why no stage of the target was chosen. */
  readonly reason: string
}

/** The pipelines of a server; undefined where it lists none. */
export async function pipelinesOf(api: Api): Promise<readonly PipelineNames[] | undefined> {
  try {
    api.require('pipeline', 'list')
    if (api.connector.hasOneList('stage')) return await withStages(api, await listed(api))
    const pipelines = await listed(api)
    // Some servers show the stages with their pipelines.
    return await Promise.all(
      pipelines.map(async ({ stages, ...one }) => ({ ...one, stages: stages ?? (await stagesOf(api, one.id)) ?? [] })),
    )
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_supported') return undefined
    throw error
  }
}

type Listed = Omit<PipelineNames, 'stages'> & { readonly stages: readonly string[] | undefined }

async function listed(api: Api): Promise<readonly Listed[]> {
  const pipelines: Listed[] = []
  for await (const { items } of api.pipelines.list()) {
    for (const { id, name, stages } of items) {
      const own = idText(id) ?? ''
      const names = Array.isArray(stages) ? stages.filter(isJsonObject).map((each) => String(each.name)) : undefined
      pipelines.push({ id: own, name: idText(name) ?? own, stages: names })
    }
  }
  return pipelines
}

async function withStages(api: Api, pipelines: readonly Listed[]): Promise<readonly PipelineNames[]> {
  const names = new Map<string, string[]>(pipelines.map(({ id }) => [id, []]))
  for await (const { items } of api.stages().list()) {
    for (const { name, pipeline_id: id } of items) names.get(idText(id) ?? '')?.push(String(name))
  }
  return pipelines.map((pipeline) => ({ ...pipeline, stages: names.get(pipeline.id) ?? [] }))
}

/** By the id of the pipeline, which the contract has a request for; undefined if there is none. */
async function stagesOf(api: Api, pipelineId: string): Promise<readonly string[] | undefined> {
  try {
    const names: string[] = []
    for await (const { items } of api.stages(pipelineId).list()) names.push(...items.map(({ name }) => String(name)))
    return names
  } catch (error) {
    if (error instanceof CrmError && (error.code === 'not_found' || error.code === 'not_supported')) return undefined
    throw error
  }
}

/** The pipelines of the target with the ids of these, for a server that lists none. */
export async function pipelinesById(api: Api, ids: readonly string[]): Promise<readonly PipelineNames[] | undefined> {
  const found = await Promise.all(ids.map(async (id) => ({ id, name: id, stages: await stagesOf(api, id) })))
  const known = found.flatMap(({ stages, ...pipeline }) => (stages ? [{ ...pipeline, stages }] : []))
  return known.length > 0 ? known : undefined
}

export interface StageRules {
  readonly source: readonly PipelineNames[]
  /** Undefined: the target does not list them, and stages keep their names. */
  readonly target: readonly PipelineNames[] | undefined
  /** `--map-stage`: by the stage, or by `PIPELINE/STAGE`. */
  readonly named: ReadonlyMap<string, string>
}

export type ChosenStage = TargetStage | MissingStage

/** The stage of the target for each stage of the source, chosen once. */
export function stageChoice(rules: StageRules): (used: UsedStage) => ChosenStage {
  const chosen = new Map<string, ChosenStage>()
  return (used) => {
    const key = JSON.stringify([used.pipelineId, used.stage])
    const known = chosen.get(key) ?? targetStage(rules, used)
    chosen.set(key, known)
    return known
  }
}

/** Chooses by the name of the stage: within the pipeline of the same name, else among all pipelines of the target. */
function targetStage({ source, target, named }: StageRules, used: UsedStage): ChosenStage {
  const { pipelineId, stage } = used
  const pipeline = source.find(({ id }) => id === pipelineId)?.name ?? pipelineId
  const wanted = named.get(`${pipeline}/${stage}`) ?? named.get(stage) ?? stage
  if (!target) return { pipelineId: undefined, stage: wanted }
  const places = target.flatMap((one) => one.stages.map((name) => ({ one, name })))
  const missing = (reason: string): MissingStage => ({ ...used, pipeline, reason })
  const exact = places.find(({ one, name }) => `${one.name}/${name}` === wanted)
  if (exact) return { pipelineId: exact.one.id, stage: exact.name }
  const like = places.filter(({ name }) => isLike(name, wanted))
  const same = pipeline === undefined ? undefined : target.find(({ name }) => isLike(name, pipeline))
  const [first, ...others] = same ? like.filter(({ one }) => one === same) : like
  if (!first) {
    if (like.length === 0) return missing(`no pipeline of the target has a stage ${JSON.stringify(wanted)}`)
    return missing(
      `the pipeline ${JSON.stringify(same?.name)} of the target has no stage ${JSON.stringify(wanted)}; ${placesText(like)}`,
    )
  }
  if (others.length > 0) return missing(`several pipelines of the target have it: ${placesText([first, ...others])}`)
  return { pipelineId: first.one.id, stage: first.name }
}

function placesText(places: readonly { readonly one: PipelineNames; readonly name: string }[]): string {
  return places.map(({ one, name }) => JSON.stringify(`${one.name}/${name}`)).join(', ')
}

function isLike(one: string, other: string): boolean {
  return foldedText(one) === foldedText(other)
}
