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
