import {
  idText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseExactJson,
  valueAt,
  valueAtPath,
} from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { oneLine } from '../errors/one-line.ts'
import { readProblem } from '../errors/problem.ts'
import { type Answer, parseJson } from '../transport/answer.ts'
import { isSignName, signsOf } from '../writes/answer-signs.ts'
import { quotedIn } from '../writes/outcome-failure.ts'
import { highestOf, type Member, readCounts } from './envelope.ts'
import { type AnswerPath, ITEM_PLACES, LATER_ITEM_PLACES, type PageWire } from './page-shapes.ts'

const CODE = /^(?:(?:http|response|result|return|ret|reply|status|api)_?)?code$|^ret$|^errno$/i

const TEXT = /^(?:(?:error|response|result|return|ret|reply|status)_?)?(?:message|msg|text|desc|detail|reason)$/i

const SUCCESS_CODE = /^(?:0+|1|2\d\d|10000|20000|[a-z]*[\s_-]?(?:ok|okay|success(?:ful|fully)?|succeeded|done))$/i

const SUCCESS_TEXT =
  /^\s*(?:|ok|okay|done|true|none|null)\W*$|success|成功|\b(?:retrieved|fetched|loaded|listed|returned|found|completed?|empty|nothing|no|0|zero)\b/i

/** Texts about keys, permissions and quotas, which an empty list does not explain: `No permission`, `User not found`. */
const FAILURE_TEXT =
  /\bunsuccessful\b|\b(?:errors?|fail\w*|invalid|expired|disputed|unauthori[sz]ed|not authori[sz]ed|not allowed|forbidden|permissions?|access|quota|exceeded|unavailable|missing|required|disabled|suspended|(?:key|token|user|account|tenant|session|api|route|endpoint|page|resource|path|url) (?:was |is |does )?not|no (?:such )?(?:api|key|token|user|account|tenant|session|route|endpoint|subscription|licen[cs]e))\b/i

/** Objects beside a list that are about the answer. */
const ABOUT = /^(?:meta|metadata|head|header|(?:response|result)_?(?:header|status|info|metadata)|status|info)$/i

/** The id of a record, not that of the request. */
const IDENTITY = /^(?!(?:request|trace|correlation|log|error|event)_?id$)(?:.*[a-z\d]_?)?_?id$/i

interface FoundRecords {
  readonly items: readonly CrmRecord[]
  readonly place: AnswerPath
}

/** The records in an answer, or a clause with the reason why there is no list. */
export function recordsIn(answer: Answer, url: URL, wire: PageWire, members: readonly Member[]): FoundRecords | string {
  const without = readNoList(answer, wire)
  if (typeof without === 'string') return without
  const { json } = answer
  const list = without ? { items: [], place: without } : json !== undefined && readItems(json, url, wire)
  if (typeof list === 'string') return list
  const { items, place } = list || { items: [], place: [] }
  if (!list && !isStatedEmpty(json, members)) {
    const where = wire.itemsPath === undefined ? '' : ` without one at wire.items_path ${wire.itemsPath}`
    return json === undefined ? 'expected a list, got nothing' : `expected a list, got ${describe(json)}${where}`
  }
  const refusal = listRefusal(answer, items)
  if (refusal !== undefined) return refusal
  return items.every(isJsonObject) ? { items, place } : 'the list contains something that is not a record'
}

function describe(json: JsonValue): string {
  if (!isJsonObject(json)) return oneLine(JSON.stringify(json), 60)
  const keys = Object.keys(json)
  return keys.length === 0 ? 'an empty object' : `an object with ${oneLine(keys.join(', '), 200)}`
}

/** The items of a list, which may not be records. */
interface FoundList {
  readonly items: JsonValue[]
  readonly place: AnswerPath
}

/** The list in an answer, or a clause with the reason why it is ambiguous; undefined if there is none. */
function readItems(json: JsonValue, url: URL, { itemsPath }: PageWire): FoundList | string | undefined {
  if (itemsPath !== undefined) {
    const found = valueAtPath(json, itemsPath)
    const place = itemsPath.split('.')
    return Array.isArray(found) ? { items: recordsOf(found, place), place } : undefined
  }
  // `{"contacts":[...]}` of /v1/contacts.
  const noun = url.pathname.split('/').filter(Boolean).at(-1) ?? ''
  const places = [...ITEM_PLACES, [noun], ...LATER_ITEM_PLACES]
  const lists = places.flatMap((place) => {
    const found = valueAt(json, place)
    const isList = Array.isArray(found) && (!LATER_ITEM_PLACES.includes(place) || found.every(isJsonObject))
    return isList ? [{ items: recordsOf(found, place), place }] : []
  })
  const [first] = lists
  if (!first || first.items.length > 0) return first
  // An empty list under a usual name, beside the requested one.
  const own = lists.find(({ place, items }) => place.length === 1 && place[0] === noun && items.length > 0)
  const other = lists.find(({ place, items }) => place.length === 1 && items.length > 0)
  if (own || !other) return own ?? first
  return `${first.place.join('.')} is an empty list, and ${other.place.join('.')} beside it is not`
}

/** The members that hold the record: in entries of a FHIR Bundle, in hits of Typesense and of Elasticsearch. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = { entry: ['resource'], hits: ['document', '_source'] }

/** Edges have their record in `node` (Relay connection specification). */
function recordsOf(list: JsonValue[], place: AnswerPath): JsonValue[] {
  if (place.at(-1) === 'edges') return list.map((edge) => (isJsonObject(edge) ? (edge.node ?? null) : edge))
  const names = WRAPPERS[place.at(-1) ?? '']
  const records = names ? list.map((item) => withoutWrapper(item, names)) : list
  return isTyped(records) ? records.map(untyped) : records
}

/** Elasticsearch has the id beside the record. */
function withoutWrapper(item: JsonValue, names: readonly string[]): JsonValue {
  const inner = isJsonObject(item) ? names.map((name) => item[name]).find(isJsonObject) : undefined
  if (!isJsonObject(item) || !inner) return item
  return item._id === undefined || inner.id !== undefined ? inner : { _id: item._id, ...inner }
}

/** A count of 0 and nothing else: a FHIR Bundle without `entry`, `meta.result_count` of Twitter. */
function isStatedEmpty(json: JsonValue | undefined, members: readonly Member[]): boolean {
  if (!isJsonObject(json)) return false
  const { total, atLeast } = readCounts(members, [])
  if (highestOf([total, atLeast])?.count !== 0) return false
  return Object.entries(json).every(([name, value]) => isScalar(value) || ABOUT_LIST.test(name) || LINKS.test(name))
}

const LINKS = /^_?links?$/

function isScalar(value: JsonValue): boolean {
  return !Array.isArray(value) && !isJsonObject(value)
}

/** The attribute types of DynamoDB. */
const UNTYPED: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  S: (value) => value,
  N: (value) => (typeof value === 'string' ? parseExactJson(value) : value),
  B: (value) => value,
  BOOL: (value) => value,
  NULL: () => null,
  M: (value) => (isJsonObject(value) ? untyped(value) : value),
  L: (value) => (Array.isArray(value) ? value.map(untypedValue) : value),
  SS: (value) => value,
  NS: (value) => value,
  BS: (value) => value,
}

/** Whether all members of all records have a type around their value: `{"id": {"S": "con_1"}}`. */
function isTyped(records: readonly JsonValue[]): records is JsonObject[] {
  return (
    records.length > 0 && records.every((record) => isJsonObject(record) && Object.values(record).every(isTypedValue))
  )
}

function isTypedValue(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false
  const [type = '', ...others] = Object.keys(value)
  return others.length === 0 && Object.hasOwn(UNTYPED, type)
}

function untyped(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, untypedValue(value)]))
}

function untypedValue(value: JsonValue): JsonValue {
  const [[type = '', inner = null] = []] = isJsonObject(value) ? Object.entries(value) : []
  return UNTYPED[type]?.(inner) ?? null
}

/**
 * Reads an answer without records: a clause for a refusal; the place of the list if there are no records (204, or null
 * instead of the list). Undefined if the answer is to be read as a list.
 */
function readNoList(answer: Answer, wire: PageWire): AnswerPath | string | undefined {
  const { status, json } = answer
  if (status === 204 && json === undefined) return []
  if (!isJsonObject(json)) return undefined
  const { isRefusing, isTroubled } = signsOf(json)
  if (isRefusing || isTroubled) return refusalIn(answer)
  const places = wire.itemsPath === undefined ? ITEM_PLACES.filter(({ length }) => length === 1) : []
  const lists = [...places, wire.itemsPath?.split('.') ?? []].map((place) => valueAt(json, place)).filter(Array.isArray)
  if (lists.length > 0 && lists.every(({ length }) => length === 0) && isUnfinished(status, json)) {
    return `the server is still preparing the list (${status}), and sent an empty one`
  }
  const found = places.some((place) => Array.isArray(valueAt(json, place)))
  const at = places.find((place) => valueAt(json, place) === null)
  if (wire.itemsPath !== undefined && valueAtPath(json, wire.itemsPath) === null) return wire.itemsPath.split('.')
  return found ? undefined : at
}

/** `status: "processing"`, or 202 for a read. */
function isUnfinished(status: number, json: JsonObject): boolean {
  const state = json.status ?? json.state
  const isAtWork =
    typeof state === 'string' &&
    /^(?:\w+ing|queued|scheduled|started|in[\s_-]?progress|not[\s_-]?ready|busy)$/i.test(state)
  return status === 202 || isAtWork
}

const LIST_NAME = /^(?:data|results?|items|records|docs|documents|rows|list|entries|paginated_?(?:results?|data))$/i
const ABOUT_LIST =
  /^(?:meta_?data|meta|page_?info|pagination|paging|(?:total|count)(?:_?(?:count|records|items|docs))?)$/i

/** The answer with its list as an array: `unwrapped`, and the records that are members of an object. */
export function normalised(json: JsonValue): JsonValue {
  const plain = unwrapped(json)
  if (!isJsonObject(plain)) return plain
  const whole = recordsByKey(plain)
  if (whole) return whole
  const lists = Object.entries(plain).flatMap(([name, value]) => {
    const records = isJsonObject(value) ? recordsByKey(value) : undefined
    return records ? [[name, records] as const] : []
  })
  return lists.length === 0 ? plain : { ...plain, ...Object.fromEntries(lists) }
}

/** A key that Firebase makes: https://firebase.google.com/docs/database/web/lists-of-data */
const FIREBASE_KEY = /^-[\w-]{19}$/

/** The records of an object that has them by their ids (Mautic), or by keys that are their ids (Firebase). */
function recordsByKey(object: JsonObject): JsonValue[] | undefined {
  const entries = Object.entries(object)
  if (entries.length === 0) return undefined
  const isKeyOf = (key: string, value: JsonValue) => isJsonObject(value) && idText(value.id) === key
  if (entries.every(([key, value]) => isKeyOf(key, value))) return entries.map(([, value]) => value)
  const isKeyed = entries.every(([key, value]) => FIREBASE_KEY.test(key) && isJsonObject(value))
  return isKeyed ? entries.map(([id, value]) => ({ id, ...(isJsonObject(value) && value) })) : undefined
}

/**
 * The object in an array of one that holds a list beside its metadata, as the `$facet` of MongoDB gives it:
 * `[{"metadata": [{"total": 237}], "data": [...]}]`. Its metadata loses the array around it. Other JSON is unchanged.
 */
function unwrapped(json: JsonValue): JsonValue {
  if (!Array.isArray(json) || json.length !== 1) return json
  const [only] = json
  if (!isJsonObject(only) || !isNoId(only.id) || !isNoId(only._id)) return json
  const names = Object.keys(only)
  const isEnvelope = names.some((name) => ABOUT_LIST.test(name)) && names.some((name) => isListAt(only, name))
  if (!isEnvelope) return json
  return Object.fromEntries(
    names.map((name) => [name, ABOUT_LIST.test(name) ? withoutArray(only[name]) : (only[name] ?? null)]),
  )
}

/** `$group` names its only group null. */
function isNoId(id: JsonValue | undefined): boolean {
  return id === undefined || id === null
}

function isListAt(object: JsonObject, name: string): boolean {
  const value = object[name]
  if (ABOUT_LIST.test(name) || !Array.isArray(value) || !value.every(isJsonObject)) return false
  return LIST_NAME.test(name) || !Object.values(object).some((each) => typeof each === 'string')
}

function withoutArray(value: JsonValue | undefined): JsonValue {
  if (!Array.isArray(value) || value.length > 1) return value ?? null
  return value[0] ?? {}
}

/** A clause with the reason if a list is a refusal: an error instead of a record, or beside an empty list. */
function listRefusal(answer: Answer, items: readonly JsonValue[]): string | undefined {
  const isRefused = items.length === 0 ? isEmptyRefused(answer.json) : items.some(isErrorRecord)
  return isRefused ? refusalIn(answer) : undefined
}

function refusalIn(answer: Answer): string {
  const quoted = quotedIn(answer)
  return `the server refuses within its answer (${answer.status}): ${readProblem(quoted, parseJson(quoted)).message}`
}

/** An object without an id, most of whose members belong to an error. */
function isErrorRecord(item: JsonValue): boolean {
  if (!isJsonObject(item)) return false
  const names = Object.keys(item)
  if (names.some((name) => IDENTITY.test(name))) return false
  const { isRefusing, isTroubled } = signsOf(item)
  return (isRefusing || isTroubled) && names.filter(isSignName).length * 2 >= names.length
}

function isEmptyRefused(json: JsonValue | undefined): boolean {
  if (!isJsonObject(json)) return false
  const abouts = [json, ...Object.keys(json).flatMap((name) => (ABOUT.test(name) ? [json[name] ?? null] : []))]
  const objects = abouts.filter(isJsonObject)
  const signs = objects.map(signsOf)
  if (signs.some(({ isRefusing, isTroubled }) => isRefusing || isTroubled)) return true
  const codes = objects.flatMap((object) => valuesAt(object, CODE))
  const isAffirmed = signs.some(({ isAffirming }) => isAffirming) || codes.some((code) => SUCCESS_CODE.test(code))
  const texts = objects.flatMap((object) => valuesAt(object, TEXT))
  if (isAffirmed || texts.some(isSuccessText)) return false
  return codes.length > 0 || texts.some((text) => !SUCCESS_TEXT.test(text) || FAILURE_TEXT.test(text))
}

function isSuccessText(text: string): boolean {
  return /^\W*(?:ok|okay|success(?:ful|fully)?|成功)\W*$/i.test(text)
}

/** Non-empty texts and numbers under these names. */
function valuesAt(object: JsonObject, names: RegExp): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    names.test(name) && (typeof value === 'string' || typeof value === 'number') && value !== '' ? [String(value)] : [],
  )
}
