import { isUtf8 } from 'node:buffer'
import { type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { Reply } from './exchange.ts'

/** JSON.stringify fails at some thousands of levels, depending on the stack; no real record is this deep. */
export const MAX_JSON_DEPTH = 1000

const BYTE_ORDER_MARK = '\ufeff'

/** Includes the character before the number, which keeps the search at a third of the cost of JSON.parse. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{16}/

const SMALL_NUMBER = /[eE]-\d{3}/

/** The body of an answer; numbers keep all their digits (exact-json.ts). */
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

/** Undefined if `text` is not JSON or is nested too deep. */
export function parseJson(text: string): JsonValue | undefined {
  const parsed = parseAnswer(text)
  return 'json' in parsed ? parsed.json : undefined
}

/**
 * The text of a body; undefined if it cannot be decoded. JSON is UTF-8 (RFC 8259 section 8.1), so the charset in
 * Content-Type applies only to invalid UTF-8.
 */
export function readBodyText({ body, headers }: Pick<Reply, 'body' | 'headers'>): string | undefined {
  if (isUtf8(body)) return body.toString('utf8')
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (label === undefined || /^utf-?8$/i.test(label)) return undefined
  try {
    return new TextDecoder(label, { fatal: true }).decode(body)
  } catch (error) {
    // An unknown charset, or bytes that are invalid in it.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

interface JsonSurvey {
  isTooDeep: boolean
  /** A number is -0, or so large or small that its exponent may have exceeded a double. */
  hasExtremes: boolean
  /** A zero may be a number that was too small for a double. */
  hasZeros: boolean
}

export function surveyJson(json: JsonValue): Readonly<JsonSurvey> {
  const survey = { isTooDeep: false, hasExtremes: false, hasZeros: false }
  if (typeof json === 'object' && json !== null) lookInside(json, MAX_JSON_DEPTH, survey)
  return survey
}

function lookInside(holder: JsonObject | JsonValue[], levelsLeft: number, survey: JsonSurvey): void {
  if (levelsLeft === 0) survey.isTooDeep = true
  else if (Array.isArray(holder)) for (const item of holder) look(item, levelsLeft, survey)
  // Parsed JSON inherits no names; Object.values would cost twice as much.
  else for (const name in holder) look(holder[name] ?? null, levelsLeft, survey)
}

function look(value: JsonValue, levelsLeft: number, survey: JsonSurvey): void {
  if (typeof value === 'object' && value !== null) lookInside(value, levelsLeft - 1, survey)
  else if (Object.is(value, 0)) survey.hasZeros = true
  else if (typeof value === 'number') survey.hasExtremes ||= isExtreme(Math.abs(value))
}

function isExtreme(size: number): boolean {
  return size < 1e-84 || size > 1e84
}
