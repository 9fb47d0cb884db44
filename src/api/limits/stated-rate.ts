import type { IncomingHttpHeaders } from 'node:http'
import type { StatedRate } from '../api.ts'
import { readRateSignal, readWindowMs } from './rate-signal.ts'

/** The limit in an answer received at `atMs`; undefined when it has none. A window that has ended since is full again. */
export function statedRate(headers: IncomingHttpHeaders, atMs: number, nowMs: number): StatedRate | undefined {
  const signal = readRateSignal(headers, atMs)
  if (!signal) return undefined
  const windowMs = readWindowMs(headers)
  const resetInMs = signal.resetInMs - (nowMs - atMs)
  if (resetInMs > 0) return { limit: signal.limit, windowMs, remaining: signal.remaining, resetInMs }
  return { limit: signal.limit, windowMs, remaining: signal.limit ?? signal.remaining, resetInMs: windowMs ?? 0 }
}
