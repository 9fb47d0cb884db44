import { exactDigits, type JsonValue } from './json.ts'

/** Not yet in TypeScript's library: https://github.com/tc39/proposal-json-parse-with-source */
interface ExactJson {
  parse(text: string, revive: (key: string, value: JsonValue, context: { source?: string }) => unknown): JsonValue
  rawJSON(text: string): { readonly rawJSON: string }
}

const exactJson = JSON as unknown as ExactJson

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
