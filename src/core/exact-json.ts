import type { JsonValue } from './json.ts'

/** Not in TypeScript's library yet: https://github.com/tc39/proposal-json-parse-with-source */
interface ExactJson {
  parse(text: string, revive: (key: string, value: JsonValue, context: { source?: string }) => unknown): JsonValue
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

const exactJson = JSON as unknown as ExactJson

/** Only a text with a long number, or a large exponent, is worth the slower way: it may hold one that no double carries. */
const LONG_NUMBER = /(?:^|[:,[\s])(?:-0|-?[\d.]{16}|-?[\d.]{1,16}[eE][-+]?\d{3})/
/** Below this a double has fewer digits, and in the end none. */
const SMALLEST_PRECISE = 2.3e-308

/**
 * JSON.parse that keeps the digits of numbers no double carries (an id beyond 2^53, 1e400, -0): each is an object that
 * JSON.stringify writes as those digits. Throws a SyntaxError.
 */
export function parseExactJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exactJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isCarried(value, source) ? exactJson.rawJSON(source) : value,
  )
}

/**
 * As parseExactJson, and keeps the digits of every number that JSON.stringify would write in another way: 12500.50 and 1e5
 * are what somebody chose to write, an amount above all. Slower.
 */
export function parseJsonAsWritten(text: string): JsonValue {
  return exactJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
      ? exactJson.rawJSON(source)
      : value,
  )
}

/** The digits of a number that is kept as text; undefined for every other value. */
export function exactDigits(value: unknown): string | undefined {
  return exactJson.isRawJSON(value) ? value.rawJSON : undefined
}

/** The id or cursor that a server has as a text or as a number; undefined for every other value. */
export function idText(id: JsonValue | undefined): string | undefined {
  if (typeof id === 'string') return id
  return typeof id === 'number' ? String(id) : exactDigits(id)
}

/** 15 digits survive the way through a double and back, whatever they are. */
function isCarried(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  const digits = source
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  // JSON.stringify makes a plain 0 of -0.
  if (digits === '') return !Object.is(value, -0)
  return (digits.length <= 15 && Math.abs(value) > SMALLEST_PRECISE) || String(value) === source
}
