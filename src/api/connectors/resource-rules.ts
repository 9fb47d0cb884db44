import type {
  BatchOperation,
  ConnectorDocument,
  LinkRequest,
  ListOperation,
  NamesDocument,
  Operation,
  ResourceDocument,
} from '../../connector/document.ts'
import { compilePath, readFirst } from '../../connector/paths.ts'
import { createRecordMap, type RecordMap, SERVER_RECORDS } from '../../connector/record-map.ts'
import { compileTemplate, fill, placeholdersOf } from '../../connector/templates.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { fieldOf, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { LinkTypes } from '../links/read-links.ts'
import { compileJudge, type JudgeWrite } from '../writes/judge-write.ts'
import { type BatchRules, batchRules } from './batch-rules.ts'
import { type ListRules, listRules } from './list-rules.ts'
import {
  type ConnectorPlace,
  type ConnectorRequest,
  compileRequest,
  createSelection,
  type RequestMaker,
  type RequestParts,
  type Selection,
} from './requests.ts'

export type OperationName =
  | 'list'
  | 'get'
  | 'create'
  | 'update'
  | 'delete'
  | 'restore'
  | 'test'
  | 'deliveries'
  | 'resend'
  | 'rotate'

/** The requests of one resource, and what their answers say in crm's own names. */
export interface ResourceRules extends ListRules {
  readonly resource: Resource
  /** Resources that fields of this one name, and that must be listed before a record is read or written. */
  readonly refs: readonly Resource[]
  readonly map: RecordMap
  /** The resource that requests for its records name. */
  readonly parent: Resource | undefined
  /** The members that records are asked for, of servers that show nothing else. */
  readonly selection: Selection
  /** The request for the members that records can have; undefined if the connector names none. */
  names(): { readonly request: ConnectorRequest; readonly document: NamesDocument } | undefined
  /** CrmError `not_supported` if the connector has no such operation. */
  operation(name: OperationName): Operation
  /** Whether the request needs the parent's own record. */
  needsParent(name: OperationName): boolean
  /** Whether the current record is needed to write a change. */
  needsCurrent(fields: JsonObject): boolean
  request(name: OperationName, parts: RequestParts): ConnectorRequest
  /** The deliveries of one record, which are the server's own. CrmError `not_supported` if the connector has none. */
  deliveries(): ListRules
  /** By field, once they were read. */
  readonly linkTypes: Map<string, Promise<LinkTypes>>
  /** A request about the links of a field, or `from` the other side; `items` are the links or records, as the server takes them. */
  linkRequest(name: LinkRequest, field: string, items: readonly JsonValue[], from?: 'other'): ConnectorRequest
  /** Undefined if records cannot be asked for by values of this field. */
  keyed(field: string): KeyedRules | undefined
  /** The record of an answer to `get`, by the server's names; undefined if it has none. */
  serverRecord(json: JsonValue | undefined): JsonObject | undefined
  /** What an answer to a write means. */
  judge(name: OperationName): JudgeWrite
  /** CrmError `not_supported` if the server has no upsert of single records by this field. */
  upsert(field: string): Pick<RequestMaker, 'request'> & { readonly judge: JudgeWrite }
  /** Of one of the resource's batches. */
  batch(batch: BatchOperation): BatchRules & { readonly judge: JudgeWrite }
  isDeleted(record: JsonObject): boolean
  /** Whether a record can have this id. */
  isId(id: string): boolean
  /** Filters as parameters of the server. CrmError `not_supported` for one that the connector does not name. */
  filters(asked: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}

interface Surroundings {
  readonly document: ConnectorDocument
  readonly place: ConnectorPlace
  /** That of the records of all parents. */
  readonly selection?: Selection
}

export function createResourceRules(
  resource: Resource,
  described: ResourceDocument,
  { document, place, selection: shared }: Surroundings,
): ResourceRules {
  const map = createRecordMap(described, { connector: document.name, resource })
  const selection = shared ?? createSelection(described, map)
  const requestOf = once((operation: Operation) => compileRequest(operation, { described, place }))
  const judgeOf = once((operation: Operation) => compileJudge(operation, map, described))
  const operation = (name: OperationName): Operation => {
    const found = described[name]
    if (found) return found
    throw lacks(document, `${name} of ${RESOURCES[resource].plural}`, place)
  }
  const rulesOf = (list: ListOperation) => listRules(list, { requestOf, selecting: selection.added, map })
  const listOf = once(rulesOf)
  const all = () => listOf(operation('list') as ListOperation)
  return {
    resource,
    refs: refsOf(described),
    map,
    parent: described.parent,
    get paging() {
      return all().paging
    },
    pageRequest: (...page) => all().pageRequest(...page),
    readPage: (...page) => all().readPage(...page),
    deliveries: () =>
      listRules(operation('deliveries') as ListOperation, {
        requestOf,
        selecting: (parts) => parts,
        map: SERVER_RECORDS,
      }),
    linkTypes: new Map(),
    linkRequest: (name, field, items, side) => {
      const { links } = document
      const { from = '', fields = {} } = described.links ?? {}
      const to = fields[field]?.noun
      if (!links || to === undefined) throw lacks(document, `links of ${RESOURCES[resource].plural} in ${field}`, place)
      const [one, other] = side ? [to, from] : [from, to]
      const path = links[name].path.replace('{from}', () => one).replace('{to}', () => other)
      return compileRequest({ ...links[name], path }, { described, place }).request({ items })
    },
    keyed: (field) => keyedRules(field, described, rulesOf),
    operation,
    needsParent: (name) => requestOf(operation(name)).placeholders.some((each) => each.startsWith('parent.')),
    needsCurrent: (fields) => described.update?.sends === 'whole' || map.needsCurrent(fields),
    selection,
    names: () => {
      const { names } = described
      return names && { request: requestOf(names).request({}), document: names }
    },
    request: (name, parts) => requestOf(operation(name)).request(selection.added(parts)),
    serverRecord: (json) => {
      const found = json === undefined ? undefined : readFirst(compilePath(operation('get').record), json)
      return isJsonObject(found) ? found : undefined
    },
    judge: (name) => judgeOf(operation(name)),
    upsert: (field) => {
      const upsert = Object.hasOwn(described.upsert, field) ? described.upsert[field] : undefined
      if (!upsert) throw lacks(document, `upsert of ${RESOURCES[resource].plural} by ${field}`, place)
      return { ...requestOf(upsert), judge: judgeOf(upsert) }
    },
    batch: (batch) => ({
      ...batchRules(batch, map, requestOf(batch)),
      judge: compileJudge(batch, map, { ...described, isBatch: true }),
    }),
    isDeleted: map.isDeleted,
    isId: (id) => described.id.type !== 'integer' || /^(?:0|-?[1-9]\d*)$/.test(id),
    filters: (asked) => namedFilters(asked, described.filters, document.name, resource),
  }
}

/** Made for each key when it is first asked for. */
export function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

function namedFilters(
  asked: Readonly<Record<string, string>>,
  known: ResourceDocument['filters'],
  connector: string,
  resource: Resource,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(asked).map(([name, value]) => {
    const filter = Object.hasOwn(known, name) ? known[name] : undefined
    if (filter) return [filter.query, value] as const
    const meant = nearest(name, Object.keys(known))
    const hint =
      meant === undefined
        ? `crm ${RESOURCES[resource].plural} list --where ${shellWord(whereText(name, value, fieldOf(resource, name)?.type === 'texts'))}`
        : `did you mean ${meant}?`
    throw new CrmError('not_supported', `${connector} (connector) has no filter ${JSON.stringify(name)}`, { hint })
  })
  return Object.fromEntries(pairs)
}

/** The filter as an expression. What looks like a number may be one or a text on this server. */
function whereText(name: string, value: string, isList: boolean): string {
  if (isList) return `.${name} // [] | index(${JSON.stringify(value)})`
  const [, member = name, bound] = /^(.+)(?:\[(gte|lte)\])$/.exec(name) ?? []
  const time = { created_since: '>=', created_until: '<=' }[name]
  if (time) return `.created_at ${time} ${JSON.stringify(value)}`
  const path = /^[a-z_]\w*$/i.test(member) ? `.${member}` : `.[${JSON.stringify(member)}]`
  if (bound) return `(${path} | tonumber) ${bound === 'gte' ? '>=' : '<='} ${Number(value)}`
  const texts = value.split(',').map((text) => `${path} == ${JSON.stringify(text)}`)
  const numbers = value
    .split(',')
    .filter((text) => /^-?\d+(?:\.\d+)?$/.test(text))
    .map((text) => `${path} == ${text}`)
  return [...texts, ...numbers].join(' or ')
}

/** `pipedrive (connector) has no webhooks`. */
export function lacks(
  { name }: ConnectorDocument,
  what: string,
  { word = name, hint }: Pick<ConnectorPlace, 'word'> & { readonly hint?: string | undefined },
): CrmError {
  return new CrmError('not_supported', `${name} (connector) has no ${what}`, {
    hint: hint ?? `crm connectors show ${shellWord(word)} lists what it offers`,
  })
}

function refsOf({ fields }: ResourceDocument): readonly Resource[] {
  return [...new Set(Object.values(fields).flatMap(({ ref }) => (ref === undefined ? [] : [ref])))]
}

/** Records that are asked for by the values of one field. */
interface KeyedRules extends ListRules {
  /** The number of values in one request. */
  readonly size: number
  /** What a request for these values, given as keyValue has them, needs. */
  parts(values: readonly JsonValue[]): RequestParts
}

type ListRulesOf = (list: ListOperation) => ListRules

/**
 * By a batch read, else by a search whose index has a known age: without one, absence is no proof. Undefined also for a field that
 * the server compares by case, because rows are matched without it.
 */
function keyedRules(field: string, described: ResourceDocument, rulesOf: ListRulesOf): KeyedRules | undefined {
  if (!isComparable(field, described)) return undefined
  const { read } = described.batch
  if (read && canAskBy(field, read)) return byBatch(field, read, rulesOf)
  const find = Object.hasOwn(described.find, field) ? described.find[field] : undefined
  if (!find || find.gives === 'id' || find.lag === 'unknown') return undefined
  return {
    ...rulesOf(find),
    size: 1,
    parts: ([value]) => (value === undefined ? {} : { value }),
  }
}

function isComparable(field: string, { fields }: ResourceDocument): boolean {
  if (field === 'id') return true
  const document = Object.hasOwn(fields, field) ? fields[field] : undefined
  return (
    document !== undefined && (document.fold !== undefined || document.type === 'integer' || document.type === 'id')
  )
}

/** A request that names the field asks by id without a name. */
function canAskBy(field: string, { by, path, query, body }: BatchOperation): boolean {
  const parts = [path, query, body ?? null].map((each) => compileTemplate(each as JsonValue))
  return Object.hasOwn(by, field) || (field === 'id' && parts.flatMap(placeholdersOf).includes('by'))
}

function byBatch(field: string, read: BatchOperation, rulesOf: ListRulesOf): KeyedRules {
  const item = compileTemplate(read.item)
  const by = Object.hasOwn(read.by, field) ? read.by[field] : undefined
  const list = { ...read, items: read.results ?? '[]', up: {}, keep: {} }
  return {
    ...rulesOf(list),
    size: read.size,
    parts: (values) => ({
      items: values.flatMap((value) => fill(item, { value, id: value, by }) ?? []),
      ...(by !== undefined && { by }),
    }),
  }
}
