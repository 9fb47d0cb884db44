import type { Failure } from '../errors/failure.ts'

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 8000
/** For an outage without a Retry-After. */
const MAX_UNPROMPTED_RETRIES = 3

export interface RetryState {
  /** Tries made so far, the first included. */
  tries: number
  /** Retries so far in an outage without a Retry-After. */
  unprompted: number
  /** Time spent on waits, and on tries that timed out. */
  waitedMs: number
}

export function newRetryState(): RetryState {
  return { tries: 0, unprompted: 0, waitedMs: 0 }
}

/** The wait before the next try; undefined for no further try. Adds the wait to `state`. */
export function takeWaitMs(
  failure: Failure,
  state: RetryState,
  limits: { maxWaitMs: number; random: () => number },
): number | undefined {
  if (failure.rule === 'never') return undefined
  // A Retry-After of 0 is ignored: repeating it would make a busy loop.
  const asked = failure.retryAfterMs ? failure.retryAfterMs : undefined
  const isUnprompted = asked === undefined && failure.rule === 'few'
  if (isUnprompted && state.unprompted >= MAX_UNPROMPTED_RETRIES) return undefined
  const waitMs = asked ?? backoffMs(state.tries, limits.random)
  if (state.waitedMs + waitMs > limits.maxWaitMs) return undefined
  state.waitedMs += waitMs
  if (isUnprompted) state.unprompted += 1
  return waitMs
}

/** Exponential with jitter, so that clients that failed together do not retry together. */
function backoffMs(tries: number, random: () => number): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS)
  return Math.round(full * (0.5 + random() / 2))
}
