import { Buffer } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Redactor } from '../../core/redact.ts'
import type { Reply } from './exchange.ts'
import { readBodyText } from './parse-answer.ts'

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

export function redactDeep(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redactDeep(each, redact))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [redact(name), redactDeep(each, redact)]),
  ) as JsonObject
}
