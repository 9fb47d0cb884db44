import type { IncomingHttpHeaders } from 'node:http'
import type { ToldRate } from './api.ts'
import { readRateSignal, readWindowMs } from './rate-signal.ts'

/** Of an answer that came at `atMs`; undefined when it told of no limit. A window that has passed since is a whole one again. */
export function toldRate(headers: IncomingHttpHeaders, atMs: number, nowMs: number): ToldRate | undefined {
  const signal = readRateSignal(headers, atMs)
  if (!signal) return undefined
  const windowMs = readWindowMs(headers)
  const resetInMs = signal.resetInMs - (nowMs - atMs)
  if (resetInMs > 0) return { limit: signal.limit, windowMs, remaining: signal.remaining, resetInMs }
  return { limit: signal.limit, windowMs, remaining: signal.limit ?? signal.remaining, resetInMs: windowMs ?? 0 }
}
