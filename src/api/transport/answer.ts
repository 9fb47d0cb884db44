import { Buffer, isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { Redactor } from '../../core/redact.ts'
import { htmlText, isHtml, oneLine } from '../errors/one-line.ts'
import type { WriteOutcome } from '../writes/write.ts'
import type { Call } from './call.ts'
import type { Reply } from './exchange.ts'

/** JSON.stringify fails at some thousands of levels, depending on the stack; no real record is this deep. */
export const MAX_JSON_DEPTH = 1000

const BYTE_ORDER_MARK = '\ufeff'

/** Includes the character before the number, which keeps the search at a third of the cost of JSON.parse. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{16}/

const SMALL_NUMBER = /[eE]-\d{3}/

/** The body of an answer; numbers keep all their digits (core/json.ts). */
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

/** Redacts an answer that is not a success before anything shows or truncates it. */
export function redactReply(reply: Reply, { foreign }: Redactor): Reply {
  const text = readBodyText(reply) ?? reply.body.toString('latin1')
  const clean = foreign(text)
  const headers = redactHeaders(reply.headers, foreign)
  return { ...reply, headers, body: clean === text ? reply.body : Buffer.from(clean) }
}

/** For a 2xx: twenty times as fast as the redaction of failures, because each row of a job has one. */
export function redactSuccessHeaders(headers: IncomingHttpHeaders, { holds, foreign }: Redactor): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name]
    const isHeld = typeof value === 'string' ? holds(value) : value?.some(holds)
    if (isHeld || holds(name)) return redactHeaders(headers, foreign)
  }
  return headers
}

/** Redacts names as well as values. */
export function redactHeaders(headers: IncomingHttpHeaders, redact: (text: string) => string): IncomingHttpHeaders {
  const entries = Object.entries(headers)
  // Nearly always true, and tested in one pass.
  const all = entries.flat().join('\n')
  if (redact(all) === all) return headers
  const clean = entries.map(([name, value]) => {
    const shown = Array.isArray(value) ? value.map(redact) : value === undefined ? value : redact(value)
    return [redact(name), shown] as const
  })
  return Object.fromEntries(clean)
}

/** Members that report errors, beside or instead of records. */
const TROUBLE_NAMES = ['error', 'errors'] as const

export function redactTrouble(json: JsonValue, { foreign }: Redactor): JsonValue {
  if (!isJsonObject(json) || !TROUBLE_NAMES.some((name) => json[name])) return json
  const clean = TROUBLE_NAMES.flatMap((name) => (json[name] ? [[name, redactDeep(json[name], foreign)] as const] : []))
  return { ...json, ...Object.fromEntries(clean) }
}

function redactDeep(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redactDeep(each, redact))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [redact(name), redactDeep(each, redact)]),
  ) as JsonObject
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Undefined if the body is empty. */
  readonly json: JsonValue | undefined
  /** The same, redacted for messages. */
  readonly quoted?: () => JsonValue
  /** Of a write of a job: what the answer means, as the connector declares. */
  readonly written?: WriteOutcome
  /** Of a write: the values that were sent, as this record shows them where it has them. */
  readonly shownIn?: (record: JsonObject) => JsonObject
  /** Present if answers of any type are accepted. */
  readonly body?: Buffer
}

/** The answer, or a clause that describes a body that cannot be read. The content type is ignored. */
export function readAnswer(call: Call, reply: Reply, redactor: Redactor): Answer | string {
  const { status, headers, body } = reply
  if (body.length === 0) return { status, headers, json: undefined }
  const text = readBodyText(reply)
  if (text === undefined) return 'the answer is not UTF-8'
  const parsed = parseAnswer(redactor.data(text))
  if ('json' in parsed) {
    const quoted = () => redactDeep(parsed.json, redactor.foreign)
    return { status, headers, json: redactTrouble(parsed.json, redactor), quoted }
  }
  if (isHtml(text)) {
    const shown = oneLine(htmlText(redactor.foreign(text)), 60)
    return `the server sent an HTML page instead of JSON: ${JSON.stringify(shown)}`
  }
  // The answer to a DELETE needs no record: `OK` suffices.
  if (call.method === 'DELETE') return { status, headers, json: oneLine(redactor.foreign(text), 60) }
  if (parsed.trouble === 'deep') return `the answer is nested more than ${MAX_JSON_DEPTH} levels deep`
  return `the answer is not JSON: ${oneLine(redactor.foreign(text), 60)}`
}
