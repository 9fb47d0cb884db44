import { oneLine } from '../../api/errors/one-line.ts'
import { defined, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { bestNamed, foldedName, memberNamed, nameOfHost, spellings } from '../names.ts'
import { chooseCollection, hasFlatStages } from './collections.ts'
import { type Decision, Decisions, printable } from './decisions.ts'
import { draftAccess } from './draft-access.ts'
import { type DraftResource, draftResource, stagesInPipelines } from './draft-resource.ts'
import type { ApiDescription, ApiMethod } from './read-description.ts'
import { joined, type Leaf, leavesOf } from './record-places.ts'
import { isNumber, type SchemaView } from './schemas.ts'

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
  dropUnknown(made)
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
    ...defined({
      title: title || undefined,
      variables: some(drafting.variables),
      origin: access.origin,
      base: access.base || undefined,
      auth: access.auth,
      headers: some(access.headers),
      query: some(access.query),
      error: draftError(methods),
    }),
    idempotency: idempotencyOf(methods),
    ...pagingOf(objects.map(([, object]) => objectOf(object.verbs))),
    objects: Object.fromEntries(objects),
  }
  return { value, open: decisions.open, remarks: decisions.remarks, summary: summaryOf(made) }
}

/** References to what the draft lacks. */
function dropUnknown(made: ReadonlyMap<Resource, DraftResource>): void {
  const { stage } = objectOf(made.get('deal')?.value.fields)
  const hasPipelines = Object.hasOwn(objectOf(made.get('stage')?.value.fields), 'pipeline_id')
  if (isJsonObject(stage) && !hasPipelines) delete stage.within
  const known: readonly unknown[] = [...made.keys()].map((resource) => RESOURCES[resource].plural)
  for (const { value } of made.values()) if (!known.includes(value.parent)) delete value.parent
}

/** `example` of https://api.example.com, else of the title. */
function nameOf(title: string, origin = ''): string {
  const host = nameOfHost(origin.replace(/^https?:\/\/|:\d+$/g, ''))
  return (host ?? title.toLowerCase().replace(/[^a-z0-9]+/g, '-')).replace(/^-+|-+$/g, '').slice(0, 64) || 'draft'
}

function some(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length > 0 ? members : undefined
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
    const fields = Object.keys(objectOf(value.fields)).join(', ') || 'none'
    return `${plural}: ${String(value.path)} (${offered.join(', ')}); fields ${fields}`
  })
}

const MESSAGES = spellings('errormessage errordescription message detail error title description reason msg')
const CODES = spellings('code errorcode category errorname errortype type statuscode')
const REQUESTS = spellings('requestid correlationid traceid transactionid')
const LISTS = spellings('errors fielderrors validationerrors details violations invalidparams')
const FIELD_NAMES = spellings('field fieldname name path in attribute property pointer param source')

/** Where most refusals state their message and code; undefined if the document does not describe them. */
function draftError(methods: readonly ApiMethod[]): JsonObject | undefined {
  const all = methods.flatMap(({ refusals }) => refusals.map(errorIn)).filter((error) => error !== undefined)
  const [most] = [...Map.groupBy(all, (error) => JSON.stringify(error)).values()].toSorted(
    (a, b) => b.length - a.length,
  )
  return most?.[0]
}

function errorIn(view: SchemaView): JsonObject | undefined {
  const list = memberNamed(view.members, LISTS)
  const items = list === undefined ? undefined : view.member(list)?.element
  const own = textsIn(view)
  // A list of errors alone: the first one is shown.
  const texts = own.length > 0 || list === undefined || !items ? own : textsIn(items, `${joined('.', list)}[0]`)
  const named = (names: readonly string[]) => bestNamed(texts, names)?.path
  const message = named(MESSAGES)
  if (message === undefined) return undefined
  const [name, text] = [FIELD_NAMES, MESSAGES].map((names) => items && memberNamed(items.members, names))
  const isOfFields =
    list !== undefined && name !== undefined && text !== undefined && items?.member(name)?.type !== 'object'
  return defined({
    message,
    code: named(CODES.filter((each) => each !== foldedName(message))),
    request: named(REQUESTS),
    fields: isOfFields ? { items: `${joined('.', list)}[]`, name, message: text } : undefined,
  })
}

function textsIn(view: SchemaView, from = '.'): readonly Leaf[] {
  const isText = ({ type }: SchemaView) => type === 'string' || type === 'unknown'
  return leavesOf(view, { from, depth: 2 }).filter((leaf) => isText(leaf.view) || isNumber(leaf.view))
}
