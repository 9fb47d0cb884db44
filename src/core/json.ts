export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

export type JsonObject = { [key: string]: JsonValue }

export type JsonSchema = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && exactDigits(value) === undefined
}

/** Not yet in TypeScript's library: https://github.com/tc39/proposal-json-parse-with-source */
interface ExactJson {
  parse(text: string, revive: (key: string, value: JsonValue, context: { source?: string }) => unknown): JsonValue
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

const exactJson = JSON as unknown as ExactJson

/** The digits of a number that parseExactJson keeps as text; undefined for every other value. */
export function exactDigits(value: unknown): string | undefined {
  return exactJson.isRawJSON(value) ? value.rawJSON : undefined
}

/** Compares two values as JSON, in which the order of members means nothing. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other || JSON.stringify(one) === JSON.stringify(other)) return true
  const areBothInside = typeof one === 'object' && typeof other === 'object'
  return areBothInside && canonicalJson(one) === canonicalJson(other)
}

/**
 * The canonical form of a value (RFC 8785): members in the order of their UTF-16 code units, no blanks, numbers in the format
 * of ECMAScript. Numbers that do not fit a double, which the RFC does not cover, keep their digits.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members: string[] = []
  for (const name of Object.keys(value).sort()) {
    members.push(`${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`)
  }
  return `{${members.join(',')}}`
}

/** The value of a member; null if the record does not have it. */
export function memberOf(record: JsonObject, name: string): JsonValue {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}

/**
 * Sets the member at the path, and makes the objects on the way to it. A member called `__proto__` is defined, not assigned, and so
 * is like any other.
 */
export function setAtPath(fields: JsonObject, path: readonly string[], value: JsonValue): void {
  let inside = fields
  for (const name of path.slice(0, -1)) {
    const existing = Object.hasOwn(inside, name) ? inside[name] : undefined
    const next: JsonObject = isJsonObject(existing) ? existing : {}
    define(inside, name, next)
    inside = next
  }
  define(inside, path.at(-1) ?? '', value)
}

function define(target: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
  } else target[name] = value
}

/** Only a text with a long number or a large exponent needs the slower way: a double may not hold that number. */
const LONG_NUMBER = /(?:^|[:,[\s])(?:-0|-?[\d.]{16}|-?[\d.]{1,16}[eE][-+]?\d{3})/

/** Below this a double has fewer digits, and finally none. */
const SMALLEST_PRECISE = 2.3e-308

/**
 * JSON.parse that keeps the digits of numbers that a double cannot hold (an id beyond 2^53, 1e400, -0): each is an object that
 * JSON.stringify writes as those digits. Throws a SyntaxError.
 */
export function parseExactJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exactJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isCarried(value, source) ? exactJson.rawJSON(source) : value,
  )
}

/** As parseExactJson; undefined if `text` is not JSON. */
export function jsonIn(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * As parseExactJson, and keeps the digits of every number that JSON.stringify would write differently: 12500.50 and 1e5 stay
 * as the sender wrote them. Slower.
 */
export function parseJsonAsWritten(text: string): JsonValue {
  return exactJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
      ? exactJson.rawJSON(source)
      : value,
  )
}

/** The text of an id or cursor, which a server may send as a text or a number; undefined for any other value. */
export function idText(id: JsonValue | undefined): string | undefined {
  if (typeof id === 'string') return id
  return typeof id === 'number' ? String(id) : exactDigits(id)
}

/** Any 15 digits survive the conversion to a double and back. */
function isCarried(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  const digits = source
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  // JSON.stringify turns -0 into 0.
  if (digits === '') return !Object.is(value, -0)
  return (digits.length <= 15 && Math.abs(value) > SMALLEST_PRECISE) || String(value) === source
}

/**
 * The value at the place; undefined if there is none. `*` is the only member that is a list or an object. Records are not
 * searched: a list within a record is not the requested list.
 */
export function valueAt(json: JsonValue, place: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = json
  for (const key of place) value = isJsonObject(value) ? member(value, key) : undefined
  return value
}

function member(object: JsonObject, key: string): JsonValue | undefined {
  if (key !== '*') return Object.hasOwn(object, key) ? object[key] : undefined
  if (Object.hasOwn(object, 'id')) return undefined
  const holders = Object.keys(object).filter((name) => name !== 'pageInfo' && typeof object[name] === 'object')
  return holders.length === 1 ? (object[holders[0] ?? ''] ?? undefined) : undefined
}

/** The object; an empty one for every other value. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Without the members that are undefined. */
export function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Without the members that are undefined, and those that are empty texts, lists or objects. */
export function nonEmpty(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const isEmpty = (value: JsonValue | undefined) =>
    value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return defined(Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))))
}
