import type { Failure } from '../errors/failure.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 8000
/** Of an outage for which the server names no end. */
const MAX_UNPROMPTED_RETRIES = 3

export interface RetryState {
  /** Tries made so far, the first included. */
  tries: number
  /** Retries so far in an outage without a Retry-After. */
  unprompted: number
  /** Spent on waits, and on tries that ran into the time limit. */
  waitedMs: number
}

export function newRetryState(): RetryState {
  return { tries: 0, unprompted: 0, waitedMs: 0 }
}

/** How long to wait before the next try, or undefined when there is none. Counts the wait in `state`. */
export function takeWaitMs(
  failure: Failure,
  state: RetryState,
  limits: { maxWaitMs: number; random: () => number },
): number | undefined {
  if (failure.rule === 'never') return undefined
  // A wait of none is not believed: a server that answers so again and again would be asked as fast as it can answer.
  const asked = failure.retryAfterMs ? failure.retryAfterMs : undefined
  const isUnprompted = asked === undefined && failure.rule === 'few'
  if (isUnprompted && state.unprompted >= MAX_UNPROMPTED_RETRIES) return undefined
  const waitMs = asked ?? backoffMs(state.tries, limits.random)
  if (state.waitedMs + waitMs > limits.maxWaitMs) return undefined
  state.waitedMs += waitMs
  if (isUnprompted) state.unprompted += 1
  return waitMs
}

/** Exponential with jitter, so that many clients that failed together do not come back together. */
function backoffMs(tries: number, random: () => number): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS)
  return Math.round(full * (0.5 + random() / 2))
}
