import type { IncomingHttpHeaders } from 'node:http'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Redactor } from '../../core/redact.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ServerProblem } from '../errors/problem.ts'
import type { ApiOptions } from '../options.ts'
import { readLinks } from '../pages/links.ts'
import { MAX_JSON_DEPTH, surveyJson } from './answer.ts'
import { type Call, cannot } from './call.ts'

/** Headers with the request id of the server. */
const SERVER_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'correlation-id', 'x-hubspot-correlation-id']

/** Request ids set by proxies in front of the server, used if the server sets none. */
const PROXY_HEADERS = ['x-amzn-requestid', 'x-amzn-trace-id', 'x-trace-id', 'cf-ray']

const MAX_IDEMPOTENCY_KEY_CHARS = 255
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** RFC 9110 section 8.8.3: the characters within the quotes. */
const ENTITY_TAG_TEXT = /^[\x21\x23-\x7e]+$/
const QUOTED_ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

/** The headers of every request, checked once. */
export function baseHeaders(options: Pick<ApiOptions, 'key' | 'userAgent' | 'connector'>): string[] {
  if (!VISIBLE_ASCII.test(options.key)) {
    throw new CrmError('invalid_input', 'the key is empty or contains a space or another invalid character', {
      hint: 'crm auth login',
    })
  }
  return [
    ...(options.connector?.credentials(options.key).headers ?? ['Authorization', `Bearer ${options.key}`]),
    ...['Accept', 'application/json'],
    ...['User-Agent', options.userAgent],
  ]
}

/** Alternating names and values; the later of two with the same name wins. */
export function replaceHeaders(headers: readonly string[], others: readonly string[]): string[] {
  const byName = new Map<string, readonly [string, string]>()
  const all = [...headers, ...others]
  for (let at = 0; at + 1 < all.length; at += 2) {
    const [name = '', value = ''] = all.slice(at, at + 2)
    byName.set(name.toLowerCase(), [name, value])
  }
  return [...byName.values()].flat()
}

/** The idempotency key for all tries of a write; undefined if the method needs none. */
export function idempotencyKeyOf(call: Call): string | undefined {
  if ((call.method !== 'POST' && call.method !== 'PATCH') || call.isRead) return undefined
  if (call.idempotencyKey === undefined) return timeOrderedUuid()
  if (!VISIBLE_ASCII.test(call.idempotencyKey) || call.idempotencyKey.length > MAX_IDEMPOTENCY_KEY_CHARS) {
    throw new CrmError('invalid_input', `not an idempotency key: ${JSON.stringify(call.idempotencyKey)}`, {
      hint: `expected 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters`,
    })
  }
  return call.idempotencyKey
}

/** Quotes bare tags; quoted tags, weak tags and `*` stay unchanged. */
export function ifMatchHeader(tag: string): string {
  if (tag === '*' || QUOTED_ENTITY_TAG.test(tag)) return tag
  if (ENTITY_TAG_TEXT.test(tag)) return `"${tag}"`
  throw new CrmError('invalid_input', `not an entity tag: ${JSON.stringify(tag)}`, {
    hint: 'expected the version of the record, such as 3',
  })
}

/** The body of a request. CrmError `invalid_input` for values that JSON cannot represent: JSON.stringify silently makes null of NaN. */
export function requestText(call: Call, body: JsonValue): string {
  if (surveyJson(body).isTooDeep) {
    const message = `${cannot(call)}: the record is nested more than ${MAX_JSON_DEPTH} levels deep`
    throw new CrmError('invalid_input', message, { hint: `${call.command} --help` })
  }
  return JSON.stringify(body, (name, value: unknown) => {
    const type = typeof value
    const isHeld = type === 'number' ? Number.isFinite(value) : !['bigint', 'function', 'symbol'].includes(type)
    if (isHeld) return value
    const shown = oneLine(type === 'function' ? 'a function' : String(value), 60)
    throw new CrmError(
      'invalid_input',
      `${cannot(call)}: ${oneLine(name, 60)} is ${shown}, which JSON cannot represent`,
      {
        hint: 'expected text, a finite number, true, false, null, a list or an object; a larger number as text',
      },
    )
  })
}

export function requestIdOf(headers: IncomingHttpHeaders, problem?: ServerProblem): string | undefined {
  const inHeader = (names: readonly string[]) => names.map((name) => headers[name]).find(Boolean)
  const found = inHeader(SERVER_HEADERS) ?? problem?.requestId ?? inHeader(PROXY_HEADERS)
  const text = Array.isArray(found) ? found[0] : found
  return text ? oneLine(text, 200) : undefined
}

/** Reports once that an answer announces deprecation or removal. */
export function createRetirementWatch(options: Pick<ApiOptions, 'baseUrl' | 'onNotice'>, { foreign }: Redactor) {
  let isReported = false
  return async (call: Call, headers: IncomingHttpHeaders | undefined): Promise<void> => {
    if (isReported || !options.onNotice || !(headers?.deprecation || headers?.sunset)) return
    const text = readRetirement(headers)
    if (text === undefined) return
    isReported = true
    const { host, origin } = options.baseUrl
    await options.onNotice({ host, text: `${call.method} ${call.path} of ${origin}: ${foreign(text)}` })
  }
}

/** RFC 9745 and RFC 8594 as one clause; undefined if neither header is valid. */
export function readRetirement(headers: IncomingHttpHeaders): string | undefined {
  const parts = [readDeprecation(String(headers.deprecation ?? '')), readSunset(String(headers.sunset ?? ''))]
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0) return undefined
  const links = readLinks(headers.link)
  const successor = links.get('successor-version')
  const about = links.get('deprecation') ?? links.get('sunset')
  if (successor !== undefined) known.push(`successor: ${successor}`)
  if (about !== undefined) known.push(`details: ${about}`)
  return known.join(', ')
}

/** A date of RFC 9651 (`@1688169599`); drafts before RFC 9745 had `true` and HTTP dates. */
function readDeprecation(text: string): string | undefined {
  if (/^\s*\??(?:true|1)\s*$/i.test(text)) return 'deprecated'
  const seconds = /^\s*@(-?\d{1,11})\s*$/.exec(text)?.[1]
  const day = dayOf(seconds === undefined ? Date.parse(text) : Number(seconds) * 1000)
  return day === undefined ? undefined : `deprecated as of ${day}`
}

function readSunset(text: string): string | undefined {
  const day = dayOf(Date.parse(text))
  return day === undefined ? undefined : `available until ${day}`
}

function dayOf(timeMs: number): string | undefined {
  const date = new Date(timeMs)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}
