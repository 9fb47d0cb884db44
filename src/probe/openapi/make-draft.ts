import { oneLine } from '../../api/errors/one-line.ts'
import { isJsonObject, type JsonObject, type JsonValue, nonEmpty, objectOf } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { nameOfHost } from '../names.ts'
import { chooseCollection, hasFlatStages } from './collections.ts'
import { type Decision, Decisions, printable } from './decisions.ts'
import { draftAccess } from './draft-access.ts'
import { type DraftResource, draftResource, stagesInPipelines } from './draft-resource.ts'
import type { ApiDescription, ApiMethod } from './read-description.ts'

export interface Draft {
  readonly value: JsonObject
  readonly open: readonly Decision[]
  readonly remarks: readonly Decision[]
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
const ORDER = new Set<Resource>(['pipeline', 'stage', ...SHOWN])

/** A connector as far as the document shows it. CrmError `usage` for an answer that names no path of the document. */
export function makeDraft(api: ApiDescription, { name, answers, sourceUrl }: DraftRequest): Draft {
  const decisions = new Decisions(answers)
  const made = new Map<Resource, DraftResource>()
  const drafting = { api, decisions, variables: {} as JsonObject, made }
  for (const resource of ORDER) {
    const pipelines = made.get('pipeline')
    const isEmbedded = resource === 'stage' && !decisions.answer('stages') && !hasFlatStages(api)
    const embedded = isEmbedded && pipelines ? stagesInPipelines(pipelines) : undefined
    const chosen = embedded ? undefined : chooseCollection(resource, drafting)
    const draft = embedded ?? (chosen && draftResource(drafting, chosen))
    if (draft) made.set(resource, draft)
  }
  const methods = [...made.values()].flatMap((draft) => draft.methods)
  const access = draftAccess(drafting, methods, sourceUrl)
  const objects = SHOWN.flatMap((resource) => {
    const draft = made.get(resource)
    return draft ? [[RESOURCES[resource].plural, draft.value] as const] : []
  })
  const { info } = api.document
  const title = oneLine(printable(String(objectOf(info).title ?? '')), 80)
  const value: JsonObject = {
    connector: 2,
    name: name ?? nameOf(title, access.origin),
    ...nonEmpty({ title, variables: drafting.variables, ...access }),
    idempotency: idempotencyOf(methods),
    ...pagingOf(objects.map(([, object]) => objectOf(object.verbs))),
    objects: Object.fromEntries(objects),
  }
  return { value, open: decisions.open, remarks: decisions.remarks, summary: summaryOf(made) }
}

/** `example` of https://api.example.com, else of the title. */
function nameOf(title: string, origin = ''): string {
  const host = nameOfHost(origin.replace(/^https?:\/\/|:\d+$/g, ''))
  return (host ?? title.toLowerCase().replace(/[^a-z0-9]+/g, '-')).replace(/^-+|-+$/g, '').slice(0, 64) || 'draft'
}

function idempotencyOf(methods: readonly ApiMethod[]): JsonValue {
  const headers = methods.filter(({ method }) => method === 'post').flatMap(({ parameters }) => parameters)
  const header = headers.find((each) => each.in === 'header' && /idempotency[-_]?key/i.test(each.name))
  return header ? { header: header.name } : 'unknown'
}

/** The paging of most lists is that of the connector. */
function pagingOf(verbs: readonly JsonObject[]): JsonObject {
  const lists = verbs.map(({ list }) => list).filter(isJsonObject)
  const counts = Map.groupBy(
    lists.flatMap(({ paging }) => paging ?? []),
    (paging) => JSON.stringify(paging),
  )
  const [most] = [...counts].toSorted(([one, a], [other, b]) => b.length - a.length || other.length - one.length)
  if (!most || (most[1].length < 2 && lists.length > 1)) return {}
  const [common] = most
  const finds = verbs.flatMap(({ find }) => Object.values(objectOf(find)).filter(isJsonObject))
  for (const list of [...lists, ...finds]) if (JSON.stringify(list.paging) === common) delete list.paging
  return { paging: JSON.parse(common) }
}

const OFFERED = ['list', 'get', 'create', 'update', 'delete', 'find']

function summaryOf(made: ReadonlyMap<Resource, DraftResource>): readonly string[] {
  return SHOWN.map((resource) => {
    const { plural } = RESOURCES[resource]
    const value = made.get(resource)?.value
    if (!value) return `${plural}: not found`
    const offered = OFFERED.filter((each) => objectOf(value.verbs)[each] !== undefined)
    return `${plural}: ${String(value.path)} (${offered.join(', ')}); fields ${fieldsText(value)}`
  })
}

export function fieldsText({ fields }: JsonObject): string {
  return Object.keys(objectOf(fields)).join(', ') || 'none'
}
