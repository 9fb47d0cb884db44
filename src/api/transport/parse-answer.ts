import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import { surveyJson } from './survey-json.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** With what stands before a number, which keeps the search at a third of the cost of JSON.parse. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{16}/

const SMALL_NUMBER = /[eE]-\d{3}/

/** The body of an answer, its numbers with all their digits (exact-json.ts). */
export type Parsed = { readonly json: JsonValue } | { readonly trouble: 'deep' | 'no_json' }

export function parseAnswer(text: string): Parsed {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  try {
    const json: JsonValue = JSON.parse(plain)
    const { isTooDeep, hasExtremes, hasZeros } = surveyJson(json)
    if (isTooDeep) return { trouble: 'deep' }
    // The second parse takes six times as long as the first.
    const isExact = !hasExtremes && !(hasZeros && SMALL_NUMBER.test(plain)) && !LONG_NUMBER.test(plain)
    return { json: isExact ? json : parseExactJson(plain) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { trouble: 'no_json' }
  }
}

/** Undefined when `text` is not JSON, or none that can be worked with, which is what no JSON text parses to. */
export function parseJson(text: string): JsonValue | undefined {
  const parsed = parseAnswer(text)
  return 'json' in parsed ? parsed.json : undefined
}
