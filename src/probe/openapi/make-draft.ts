import { oneLine } from '../../api/errors/one-line.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ApiDescription, ApiMethod } from './api-description.ts'
import { chooseCollection, hasFlatStages } from './choose-collection.ts'
import { type Decision, Decisions, printable } from './decisions.ts'
import { draftAccess } from './draft-access.ts'
import { draftError } from './draft-answers.ts'
import { type DraftResource, draftResource } from './draft-resource.ts'
import { stagesInPipelines } from './draft-stages.ts'
import { nameOfHost } from './server-names.ts'

export interface Draft {
  readonly value: JsonObject
  readonly open: readonly Decision[]
  readonly remarks: readonly { readonly at: readonly string[]; readonly text: string }[]
  /** What was found, a line for each resource. */
  readonly summary: readonly string[]
}

export interface DraftRequest {
  /** Undefined: that of the server's host. */
  readonly name: string | undefined
  /** By the ids of questions; of a plural: a path, or `none`. */
  readonly answers: ReadonlyMap<string, string>
  /** Where the document was fetched. */
  readonly sourceUrl: URL | undefined
}

const SHOWN = Object.keys(RESOURCES) as readonly Resource[]

/** Stages before deals, whose stage refers to them. */
const ORDER = [...new Set<Resource>(['pipeline', 'stage', ...SHOWN])]

/** A connector as far as the document shows it. CrmError `usage` for an answer that names no path of the document. */
export function makeDraft(api: ApiDescription, { name, answers, sourceUrl }: DraftRequest): Draft {
  const decisions = new Decisions(answers)
  const variables: JsonObject = {}
  const made = new Map<Resource, DraftResource>()
  for (const resource of ORDER) {
    const pipelines = made.get('pipeline')
    const isEmbedded = resource === 'stage' && !decisions.answer('stages') && pipelines && !hasFlatStages(api)
    const embedded = isEmbedded ? stagesInPipelines(pipelines) : undefined
    if (embedded) {
      made.set('stage', embedded)
      continue
    }
    const chosen = chooseCollection(api, resource, { decisions, made: new Set(made.keys()) })
    const stages = made.get('stage')
    const hasStages = stages?.value.list !== undefined && stages.value.parent === undefined
    const draft =
      chosen && draftResource({ api, decisions, ...chosen, hasStages, variables, made: new Set(made.keys()) })
    if (draft) made.set(resource, draft)
  }
  dropUnknown(made)
  const methods = [...made.values()].flatMap((draft) => draft.methods)
  const access = draftAccess(api, methods, { decisions, sourceUrl })
  const resources = SHOWN.flatMap((resource) => {
    const draft = made.get(resource)
    return draft ? [[RESOURCES[resource].plural, draft.value] as const] : []
  })
  const value: JsonObject = {
    connector: 1,
    name: name ?? nameOf(api, access.origin),
    ...titleOf(api),
    ...some('variables', { ...access.variables, ...variables }),
    ...(access.origin !== undefined && { origin: access.origin }),
    ...(access.base !== '' && { base: access.base }),
    auth: access.auth,
    ...some('headers', access.headers),
    ...some('query', access.query),
    ...optional('error', draftError(methods, api.schemas)),
    idempotency: idempotencyOf(methods),
    ...pagingOf(resources.map(([, resource]) => resource)),
    resources: Object.fromEntries(resources),
  }
  return { value, open: decisions.open, remarks: decisions.remarks, summary: summaryOf(made) }
}

/** References to what the draft lacks. */
function dropUnknown(made: ReadonlyMap<Resource, DraftResource>): void {
  const stages = made.get('stage')?.value.fields
  const { stage } = asObject(made.get('deal')?.value.fields)
  if (isJsonObject(stage) && !Object.hasOwn(asObject(stages), 'pipeline_id')) delete stage.within
  for (const { value } of made.values()) {
    const isThere = [...made.keys()].some((resource) => RESOURCES[resource].plural === value.parent)
    if (value.parent !== undefined && !isThere) delete value.parent
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function titleOf({ document: { info } }: ApiDescription): JsonObject {
  const title = isJsonObject(info) && typeof info.title === 'string' ? oneLine(printable(info.title), 80) : ''
  return title === '' ? {} : { title }
}

/** `example` of https://api.example.com, else of the title. */
function nameOf(api: ApiDescription, origin: string | undefined): string {
  const { title } = titleOf(api)
  const words = typeof title === 'string' ? title.toLowerCase().replace(/[^a-z0-9]+/g, '-') : ''
  const host = (origin ?? '').replace(/^https?:\/\/|:\d+$/g, '')
  const name = (nameOfHost(host) ?? words).replace(/^-+|-+$/g, '').slice(0, 64)
  return name === '' ? 'draft' : name
}

function some(name: string, members: JsonObject): JsonObject {
  return Object.keys(members).length > 0 ? { [name]: members } : {}
}

function optional(name: string, value: JsonObject | undefined): JsonObject {
  return value ? { [name]: value } : {}
}

function idempotencyOf(methods: readonly ApiMethod[]): JsonValue {
  const headers = methods.filter(({ method }) => method === 'post').flatMap(({ parameters }) => parameters)
  const header = headers.find((each) => each.in === 'header' && /idempotency[-_]?key/i.test(each.name))
  return header ? { header: header.name } : 'unknown'
}

/** The paging of most lists is that of the connector. */
function pagingOf(resources: readonly JsonObject[]): JsonObject {
  const lists = resources.map(({ list }) => list).filter((list) => isJsonObject(list))
  const all = lists.flatMap(({ paging }) => paging ?? [])
  const counts = Map.groupBy(all, (paging) => JSON.stringify(paging))
  const [most] = [...counts].toSorted(
    ([one, { length: a }], [other, { length: b }]) => b - a || other.length - one.length,
  )
  if (!most || (most[1].length < 2 && lists.length > 1)) return {}
  const [common] = most
  const finds = resources.flatMap(({ find }) => Object.values(asObject(find)))
  for (const list of [...lists, ...finds]) {
    if (!isJsonObject(list) || list.paging === undefined) continue
    if (JSON.stringify(list.paging) === common) delete list.paging
  }
  return { paging: JSON.parse(common) }
}

function summaryOf(made: ReadonlyMap<Resource, DraftResource>): readonly string[] {
  return SHOWN.map((resource) => {
    const { plural } = RESOURCES[resource]
    const draft = made.get(resource)
    if (!draft) return `${plural}: not found`
    const { path, fields } = draft.value
    const offered = ['list', 'get', 'create', 'update', 'delete', 'find'].filter(
      (each) => draft.value[each] !== undefined,
    )
    return `${plural}: ${String(path)} (${offered.join(', ')}); fields ${Object.keys(asObject(fields)).join(', ') || 'none'}`
  })
}
