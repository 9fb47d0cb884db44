import type { IncomingHttpHeaders } from 'node:http'
import { readRateSignal, readWindowMs } from './rate-signal.ts'

/** What a server has told of its limit, as it stands now. */
export interface ToldRate {
  /** Requests in one window; undefined where it is not told. */
  readonly limit: number | undefined
  /** The length of a window; undefined where it is not told. */
  readonly windowMs: number | undefined
  readonly remaining: number
  readonly resetInMs: number
}

/** Of an answer that came at `atMs`; undefined when it told of no limit. A window that has passed since is a whole one again. */
export function toldRate(headers: IncomingHttpHeaders, atMs: number, nowMs: number): ToldRate | undefined {
  const signal = readRateSignal(headers, atMs)
  if (!signal) return undefined
  const windowMs = readWindowMs(headers)
  const resetInMs = signal.resetInMs - (nowMs - atMs)
  if (resetInMs > 0) return { limit: signal.limit, windowMs, remaining: signal.remaining, resetInMs }
  return { limit: signal.limit, windowMs, remaining: signal.limit ?? signal.remaining, resetInMs: windowMs ?? 0 }
}
