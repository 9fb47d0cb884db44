export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

export type JsonObject = { [key: string]: JsonValue }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && exactDigits(value) === undefined
}

/** Not yet in TypeScript's library: https://github.com/tc39/proposal-json-parse-with-source */
interface RawJson {
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

const rawJson = JSON as unknown as RawJson

/** The digits of a number that parseExactJson keeps as text; undefined for every other value. */
export function exactDigits(value: unknown): string | undefined {
  return rawJson.isRawJSON(value) ? value.rawJSON : undefined
}

/** Compares two values as JSON text, in which the order of members counts. */
export function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
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
