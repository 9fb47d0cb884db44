import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { serverNowMs } from '../transport/server-clock.ts'
import { readRateSignal } from './rate-signal.ts'

interface Refusal {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly json: JsonValue | undefined
}

/** When the server wants to be asked again: in Retry-After, for a 429 also in its body (Close) or in the headers of its limit. */
export function readRetryAfterMs(refusal: Refusal, nowMs: number): number | undefined {
  const inHeader = readHeaderMs(refusal.headers, nowMs)
  if (inHeader !== undefined || refusal.status !== 429) return inHeader
  return readCloseMs(refusal.json) ?? readRateSignal(refusal.headers, nowMs)?.resetInMs
}

/** RFC 9110 section 10.2.3: seconds or an HTTP date, which is read by the server's own clock where it tells it. */
function readHeaderMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return secondsInMs(Number(text))
  // Date.parse takes `-5` for a day in May.
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
