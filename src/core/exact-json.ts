import type { JsonValue } from './json.ts'

/** Not in TypeScript's library yet: https://github.com/tc39/proposal-json-parse-with-source */
interface ExactJson {
  parse(text: string, revive: (key: string, value: JsonValue, context: { source?: string }) => unknown): JsonValue
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

const exactJson = JSON as unknown as ExactJson

/** Only a text with a long number, or a large exponent, is worth the slower way: it may hold one that no double carries. */
const LONG_NUMBER = /\d{16}|\d\.\d{15}|\d[eE][+-]?\d{3}/

/**
 * JSON.parse that keeps the digits of numbers no double carries (an id beyond 2^53, 1e400): each is an object that
 * JSON.stringify writes as those digits. Throws a SyntaxError.
 */
export function parseExactJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exactJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isCarried(value, source) ? exactJson.rawJSON(source) : value,
  )
}

/** The digits of a number that is kept as text; undefined for every other value. */
export function exactDigits(value: unknown): string | undefined {
  return exactJson.isRawJSON(value) ? value.rawJSON : undefined
}

/** 15 digits survive the way through a double and back, whatever they are. */
function isCarried(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  const digits = source
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 || String(value) === source
}
