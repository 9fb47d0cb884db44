import type { StatedRate } from '../../api/operations.ts'

/** The cost of sending a plan, as far as the limit of the server is known. */
export interface Forecast {
  readonly requests: number
  /** Undefined when no answer has a limit. */
  readonly rate: StatedRate | undefined
  /** The least time that the limit leaves for it; undefined when limit or window are unknown. */
  readonly atLeastMs: number | undefined
}

/** By the pace that is kept: of each window only `share` is used, and of this one what it has left above the rest. */
export function forecast(requests: number, rate: StatedRate | undefined, share: number): Forecast {
  if (rate?.limit === undefined || rate.windowMs === undefined) return { requests, rate, atLeastMs: undefined }
  const { limit, windowMs, remaining, resetInMs } = rate
  const own = Math.max(1, Math.floor(limit * share))
  const free = Math.max(0, Math.floor(Math.min(remaining, limit) - limit * (1 - share)))
  if (requests <= free) return { requests, rate, atLeastMs: 0 }
  const windows = Math.ceil((requests - free) / own)
  return { requests, rate, atLeastMs: resetInMs + (windows - 1) * windowMs }
}
