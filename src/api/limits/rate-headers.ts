import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { StatedRate } from '../operations.ts'
import { serverNowMs } from '../transport/timing.ts'

/** The rate limit in one answer. */
export interface RateSignal {
  /** Requests left until the reset. */
  readonly remaining: number
  readonly resetInMs: number
  /** Requests per window, if stated. */
  readonly limit: number | undefined
}

/** Larger numbers are times, not durations: milliseconds or seconds since 1970. */
const EPOCH_MS = 1e12
const EPOCH_SECONDS = 1e9

/**
 * The limit in the headers of an answer, in the dialects of draft-ietf-httpapi-ratelimit-headers (list, dictionary, three
 * headers), in X-RateLimit-* and X-Rate-Limit-*, and in HubSpot's. Undefined if there is none that is valid.
 */
export function readRateSignal(headers: IncomingHttpHeaders, nowMs: number): RateSignal | undefined {
  return readCombined(headers, nowMs) ?? readTrio(headers, nowMs) ?? readHubSpot(headers)
}

/** The header and its dialect, for display; undefined without a signal. */
export function rateDialect(headers: IncomingHttpHeaders, nowMs: number): string | undefined {
  if (readCombined(headers, nowMs)) {
    return isDictionary(headers) ? 'RateLimit (draft 7)' : 'RateLimit (draft 8)'
  }
  if (readTrio(headers, nowMs)) return `${TRIO_NAMES[trioPrefix(headers) ?? 'ratelimit']}-*`
  return readHubSpot(headers) ? 'X-HubSpot-RateLimit-*' : undefined
}

/** `"default"; r=0; t=60`, the tightest of several, or `limit=2, remaining=0, reset=60`. */
function readCombined(headers: IncomingHttpHeaders, nowMs: number): RateSignal | undefined {
  const text = textOf(headers, 'ratelimit')
  if (text === undefined) return undefined
  const plain = withoutNames(text)
  const isOne = isDictionary(headers)
  const signals = (isOne ? [plain.replaceAll(',', ';')] : plain.split(',')).map((item) => {
    const [remaining, reset] = isOne ? ['remaining', 'reset'] : ['r', 't']
    const limit = parameter(item, 'limit') ?? policyLimit(headers)
    return signalOf(parameter(item, remaining ?? ''), parameter(item, reset ?? ''), limit, { headers, nowMs })
  })
  const known = signals.filter((signal) => signal !== undefined)
  return known.toSorted((a, b) => a.remaining - b.remaining || b.resetInMs - a.resetInMs)[0]
}

function isDictionary(headers: IncomingHttpHeaders): boolean {
  return /(?:^|[,\s])remaining\s*=/i.test(withoutNames(textOf(headers, 'ratelimit') ?? ''))
}

/** Policy names may contain any character. */
function withoutNames(text: string): string {
  return text.replace(/"[^"]*"/g, '""')
}

const TRIO_NAMES = { ratelimit: 'RateLimit', 'x-ratelimit': 'X-RateLimit', 'x-rate-limit': 'X-Rate-Limit' } as const

function trioPrefix(headers: IncomingHttpHeaders): keyof typeof TRIO_NAMES | undefined {
  const prefixes = Object.keys(TRIO_NAMES) as (keyof typeof TRIO_NAMES)[]
  return prefixes.find((prefix) => textOf(headers, `${prefix}-remaining`) !== undefined)
}

function readTrio(headers: IncomingHttpHeaders, nowMs: number): RateSignal | undefined {
  const prefix = trioPrefix(headers)
  if (prefix === undefined) return undefined
  const [remaining, reset, limit] = ['remaining', 'reset', 'limit'].map((name) => textOf(headers, `${prefix}-${name}`))
  // A limit may be followed by its policies: `100, 100;w=60`.
  return signalOf(remaining, reset, limit?.split(/[,;]/)[0] ?? policyLimit(headers), { headers, nowMs })
}

/** Sliding windows without a reset: after one window, all requests are available again. */
function readHubSpot(headers: IncomingHttpHeaders): RateSignal | undefined {
  const remaining = countOf(textOf(headers, 'x-hubspot-ratelimit-remaining'))
  const resetInMs = countOf(textOf(headers, 'x-hubspot-ratelimit-interval-milliseconds'))
  if (remaining === undefined || resetInMs === undefined) return undefined
  return { remaining, resetInMs, limit: countOf(textOf(headers, 'x-hubspot-ratelimit-max')) }
}

function signalOf(
  remainingText: string | undefined,
  reset: string | undefined,
  limit: string | undefined,
  at: { headers: IncomingHttpHeaders; nowMs: number },
): RateSignal | undefined {
  const remaining = countOf(remainingText)
  const resetInMs = reset === undefined ? undefined : readResetMs(reset, serverNowMs(at.headers, at.nowMs))
  return remaining === undefined || resetInMs === undefined
    ? undefined
    : { remaining, resetInMs, limit: countOf(limit) }
}

/** Seconds from now, a time as a number, or a date; `nowMs` is by the server's clock. */
export function readResetMs(text: string, nowMs: number): number | undefined {
  const number = countOf(text)
  const untilMs = number === undefined ? Date.parse(text) : pointInTime(number, nowMs)
  return Number.isNaN(untilMs) ? undefined : Math.max(0, Math.ceil(untilMs - nowMs))
}

function pointInTime(number: number, nowMs: number): number {
  if (number > EPOCH_MS) return number
  return number > EPOCH_SECONDS ? number * 1000 : nowMs + number * 1000
}

/** The length of a window, if a policy or HubSpot's interval states it. */
function readWindowMs(headers: IncomingHttpHeaders): number | undefined {
  const [policy = ''] = (textOf(headers, 'ratelimit-policy') ?? '').replace(/"[^"]*"/g, '""').split(',')
  const seconds = countOf(parameter(policy, 'w'))
  if (seconds !== undefined && seconds > 0) return seconds * 1000
  return countOf(textOf(headers, 'x-hubspot-ratelimit-interval-milliseconds'))
}

/** `2;w=60` (draft 6 and 7) or `"default"; q=2; w=60` (draft 8). */
function policyLimit(headers: IncomingHttpHeaders): string | undefined {
  const [first] = withoutNames(textOf(headers, 'ratelimit-policy') ?? '').split(',')
  return parameter(first ?? '', 'q') ?? first?.split(';')[0]
}

function parameter(item: string, name: string): string | undefined {
  for (const part of item.split(';')) {
    const [key, value] = part.split('=', 2)
    if (key?.trim().toLowerCase() === name) return value?.trim()
  }
  return undefined
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The limit in an answer received at `atMs`; undefined if it states none. All requests of an ended window are available again. */
export function statedRate(headers: IncomingHttpHeaders, atMs: number, nowMs: number): StatedRate | undefined {
  const signal = readRateSignal(headers, atMs)
  if (!signal) return undefined
  const windowMs = readWindowMs(headers)
  const resetInMs = signal.resetInMs - (nowMs - atMs)
  if (resetInMs > 0) return { limit: signal.limit, windowMs, remaining: signal.remaining, resetInMs }
  return { limit: signal.limit, windowMs, remaining: signal.limit ?? signal.remaining, resetInMs: windowMs ?? 0 }
}

interface Refusal {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly json: JsonValue | undefined
}

/** 429, and a 403 that asks for a wait or states that no requests are left (GitHub). */
export function isLimitRefusal({ status, headers }: Omit<Refusal, 'json'>, nowMs: number): boolean {
  if (status !== 403) return status === 429
  return readHeaderMs(headers, nowMs) !== undefined || readRateSignal(headers, nowMs)?.remaining === 0
}

/** The wait that the server asks for in Retry-After; if a limit is exceeded, also in its body (Close) or its rate limit headers. */
export function readRetryAfterMs(refusal: Refusal, nowMs: number): number | undefined {
  const inHeader = readHeaderMs(refusal.headers, nowMs)
  if (inHeader !== undefined || !isLimitRefusal(refusal, nowMs)) return inHeader
  return readCloseMs(refusal.json) ?? readRateSignal(refusal.headers, nowMs)?.resetInMs
}

/** RFC 9110 section 10.2.3: seconds or an HTTP date, compared with the server's clock if there is a Date header. */
function readHeaderMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return secondsInMs(Number(text))
  // Date.parse reads `-5` as a day in May.
  const untilMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - serverNowMs(headers, nowMs))
}

/** `{"error":{"rate_reset":1.33,...}}`, in seconds. */
function readCloseMs(json: JsonValue | undefined): number | undefined {
  if (!isJsonObject(json)) return undefined
  const { rate_reset: seconds } = isJsonObject(json.error) ? json.error : json
  return typeof seconds === 'number' && seconds >= 0 ? secondsInMs(seconds) : undefined
}

function secondsInMs(seconds: number): number {
  return Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)
}
