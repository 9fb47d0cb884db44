import type { IncomingHttpHeaders } from 'node:http'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { isAlike } from '../../core/other-values.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { isContradictionName, isSignName, isStateName, signsOf } from './answer-signs.ts'

/** Names of ids, without those of requests, tasks and related objects. */
const ID_NAME = /^(?:_?[iI][dD]|[uU][uU][iI][dD]|[gG][uU][iI][dD]|(\w+?)(?:_id|I[dD]))$/
const OTHERS_ID =
  /(?:request|trace|correlation|job|task|operation|batch|queue|process|session|span|event|log|error|message|transaction|account|user|owner|tenant|organi[sz]ation|company|workspace|portal|client|parent)$/i
/** Values for the id of a record that was not created. */
const NO_ID = /^\s*(?:0|-\d+|0{8}(?:-0{4}){3}-0{12})?\s*$/
/** Members that contain the record, besides the name of the resource. Other members contain something else, such as a job. */
const WRAPPERS = [
  'data',
  'result',
  'record',
  'item',
  'object',
  'results',
  'records',
  'items',
  'value',
  'd',
  'body',
  'doc',
  'document',
  'returning',
]
/** The resource, or the operation on it: `contacts`, `update_contacts_by_pk`, `createContact`. */
const NOUNS = [
  ...Object.values(RESOURCES).flatMap(({ singular, plural }) => [plural, singular]),
  ...['person', 'people', 'lead', 'customer', 'opportunity', 'comment', 'activity', 'hook', 'subscription', 'endpoint'],
]
const OWN_NAME = new RegExp(
  `^(?:(?:insert|create|add|update|edit|patch|save|upsert|delete|remove|destroy)_?)?(?:${NOUNS.join('|')})s?(?:_?(?:one|by_?pk|by_?id))?$`,
  'i',
)
const TIME_NAME = /(?:^|_)(?:date|time|at|on)$|(?:At|On|Date|Time)$/
const AROUND = /^(?:meta|metadata|links|_links|pagination|info|timestamp|version)$/i
/** Members about the request itself. */
const ABOUT_REQUEST = /^(?:(?:request|trace|correlation)_?id|time|took|duration|elapsed)(?:_?ms)?$/i

/** The id of the object itself. */
export function ownId(object: JsonObject): string | undefined {
  const id = idOf(object.id)
  if (id !== undefined) return id
  for (const [name, value] of Object.entries(object)) {
    const found = isOwnIdName(name) ? idOf(value) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function isOwnIdName(name: string): boolean {
  const match = ID_NAME.exec(name)
  return match !== null && !(match[1] !== undefined && OTHERS_ID.test(match[1]))
}

function idOf(value: JsonValue | undefined): string | undefined {
  // MongoDB: `{"$oid": "..."}`.
  const id = idText(isJsonObject(value) ? value.$oid : value)
  return id === undefined || NO_ID.test(id) ? undefined : id
}

/** The record in an answer, last, after the objects that contain it, the outermost first. */
export type RecordInAnswer = readonly [JsonObject, ...JsonObject[]]

/** What an answer is compared with. */
export interface Requested {
  /** The members that were sent; called only if needed. */
  readonly sent: () => JsonObject | undefined
  /** The path of the request: `/v1/contacts`. */
  readonly path?: string | undefined
}

/** Undefined if the answer is not an object, or is a list of several. */
export function readShown(json: JsonValue | undefined, requested: Requested): RecordInAnswer | undefined {
  const object = withoutRpc(oneObject(json))
  if (object === undefined) return undefined
  if (idOf(object.id ?? object._id) !== undefined) return [object]
  const inner = innerOf(object, requested)
  const isRecord = inner === undefined || showsSent(object, requested.sent() ?? {}, false)
  const within = isRecord ? undefined : readShown(inner, requested)
  return within === undefined ? [object] : [object, ...within]
}

/** In JSON-RPC, the `id` beside `result` and `error` is that of the request. */
function withoutRpc(object: JsonObject | undefined): JsonObject | undefined {
  if (object === undefined || !Object.hasOwn(object, 'result')) return object
  const isRpc =
    Object.hasOwn(object, 'jsonrpc') || (typeof object.result === 'object' && Object.hasOwn(object, 'error'))
  if (!isRpc) return object
  const { id: _, jsonrpc: __, ...envelope } = object
  return envelope
}

function innerOf(envelope: JsonObject, { path }: Requested): JsonObject | undefined {
  for (const name of WRAPPERS) {
    const found = oneObject(envelope[name])
    if (found !== undefined) return found
  }
  const members = Object.entries(envelope).filter(([name]) => !isAroundName(name) && !isSignName(name))
  const named = namedRecord(members, path)
  if (named !== undefined) return named
  // Zoho: `{code, status, message, details: {id}}`; of a duplicate the id is that of another record.
  const { details } = envelope
  const isMade = isJsonObject(details) && idOf(details.id) !== undefined && !signsOf(envelope).isRefusing
  return isMade ? details : undefined
}

/**
 * The record in a member named after the resource: the only member, or one beside related lists (`contact` and `tags`). Of
 * several, the one that the path names (`deal` beside `stage`).
 */
function namedRecord(members: readonly (readonly [string, JsonValue])[], path = ''): JsonObject | undefined {
  const found = members.flatMap(([name, value]) => {
    const record = OWN_NAME.test(name) ? oneObject(value) : undefined
    return record === undefined ? [] : [{ name, record, isList: Array.isArray(value) }]
  })
  const own = found.length > 1 ? namedInPath(path, found) : found[0]
  if (own === undefined) return undefined
  const isBesideValues = members.some(([name, value]) => typeof value !== 'object' && !isOwnIdName(name))
  return members.length === 1 || own.isList || !isBesideValues ? own.record : undefined
}

/** The member that the last segment names, in the singular or the plural: `deal` in `/v1/deals/deal_7`. */
function namedInPath<Member extends { readonly name: string }>(path: string, members: readonly Member[]) {
  for (const segment of segmentsOf(path.toLowerCase())) {
    const named = members.find(({ name }) => isSameNoun(name.toLowerCase(), segment))
    if (named !== undefined) return named
  }
  return undefined
}

function isSameNoun(name: string, segment: string): boolean {
  return [name, `${name}s`, name.replace(/y$/, 'ies'), name.replace(/s$/, '')].includes(segment)
}

export function isWrapperName(name: string): boolean {
  return WRAPPERS.includes(name) || isAroundName(name)
}

/** Whether a member of this name is about the request or the answer, and belongs to no record. */
function isAroundName(name: string): boolean {
  return AROUND.test(name) || ABOUT_REQUEST.test(name)
}

/** The answer without members about the request. */
export function withoutRequest(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !ABOUT_REQUEST.test(name)))
}

/** The object itself, or the only one in a list. */
function oneObject(value: JsonValue | undefined): JsonObject | undefined {
  const found = Array.isArray(value) && value.length === 1 ? value[0] : value
  return isJsonObject(found) ? found : undefined
}

/**
 * Whether the answer has a member with its sent value; an error has the name of a member, but not its value. With the id of
 * the record (`isKnown`), a status or a cleared member counts as well.
 */
export function showsSent(values: JsonObject, sent: JsonObject, isKnown: boolean): boolean {
  return Object.entries(sent).some(([name, value]) => {
    const shown = Object.hasOwn(values, name) ? values[name] : undefined
    if (shown === undefined || (!isKnown && (isEmpty(shown) || isStateName(name)))) return false
    return isAlike(shown, value)
  })
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === ''
}

/** Whether there are members other than ids, times, and those about the answer. */
export function showsData(values: JsonObject): boolean {
  return Object.entries(values).some(
    ([name, value]) =>
      !(isEmpty(value) || isSignName(name) || isContradictionName(name) || isAroundName(name)) &&
      !(ID_NAME.test(name) || TIME_NAME.test(name)),
  )
}

/**
 * The id of the created record in its address (RFC 9110 section 10.2.2); OData has a header of its own, and the key in
 * brackets. Undefined when the address is neither below the collection nor ends like an id: some servers name the list, or a
 * login page.
 */
export function idInLocation(headers: IncomingHttpHeaders, collection = ''): string | undefined {
  const location = headers['odata-entityid'] ?? headers.location
  const url = typeof location === 'string' ? URL.parse(location, 'http://origin.invalid') : null
  const [last = '', parent = ''] = segmentsOf(url?.pathname ?? '')
  const [posted] = segmentsOf(collection)
  const key = /\(([^()]+)\)$/.exec(last)?.[1]?.replace(/^'(.*)'$/, '$1')
  if (last === '' || last.toLowerCase() === posted?.toLowerCase()) return undefined
  const isBelow = parent.toLowerCase() === posted?.toLowerCase()
  if (key === undefined && !isBelow && !/\d/.test(last)) return undefined
  try {
    return decodeURIComponent(key ?? last)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** The segments, last one first. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter(Boolean).reverse()
}
