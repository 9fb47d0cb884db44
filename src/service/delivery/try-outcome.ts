import type { TryOutcome } from '../store/deliveries.ts'
import type { Mood } from './endpoint-limits.ts'
import type { Schedule } from './schedule.ts'
import type { Attempt } from './transport.ts'

/** As long as the longest step of the schedule: whatever an endpoint says, it is tried again after a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000

const GONE = 410

/** Answers that speak of the endpoint and not of the event. */
const OVERLOADED: readonly number[] = [408, 429, 502, 503, 504]

export interface Tried {
  readonly attempt: Attempt
  /** Before this one. */
  readonly failedTries: number
  readonly nowMs: number
}

export function outcomeOf({ attempt, failedTries, nowMs }: Tried, schedule: Schedule): TryOutcome {
  if (attempt.type === 'stopped') return { type: 'untried' }
  const status = attempt.type === 'answered' ? attempt.status : undefined
  if (status !== undefined && status >= 200 && status < 300) return { type: 'succeeded', status }
  const reason = attempt.type === 'answered' ? answerReason(attempt.status) : attempt.reason
  const delayMs = schedule(failedTries + 1)
  if (status === GONE || delayMs === undefined) return { type: 'failed', status, reason }
  return { type: 'retry', status, reason, dueAtMs: nowMs + Math.max(delayMs, pauseMs(attempt, nowMs) ?? 0) }
}

/** With this answer the subscription is over, not the event alone. */
export function isGone(outcome: TryOutcome): boolean {
  return outcome.type === 'failed' && outcome.status === GONE
}

export function moodOf(attempt: Attempt): Mood {
  if (attempt.type !== 'answered') return 'busy'
  if (OVERLOADED.includes(attempt.status)) return 'busy'
  return attempt.status < 300 ? 'well' : 'unclear'
}

/** For how long the endpoint asks to be left alone (RFC 9110 section 10.2.3, for 429 and 503). */
export function pauseMs(attempt: Attempt, nowMs: number): number | undefined {
  if (attempt.type !== 'answered' || (attempt.status !== 429 && attempt.status !== 503)) return undefined
  return attempt.retryAfter === undefined ? undefined : parseRetryAfterMs(attempt.retryAfter, nowMs)
}

function answerReason(status: number): string {
  if (status >= 300 && status < 400) return `answered ${status}, and redirects are not followed`
  if (status === GONE) return `answered ${status}: the endpoint is gone`
  return `answered ${status}`
}

/** Seconds or an HTTP date, as a time from now of a day at most; undefined when it is neither. */
function parseRetryAfterMs(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim()
  const waitMs = /^\d+$/.test(trimmed) ? Number(trimmed) * 1000 : Date.parse(trimmed) - nowMs
  return Number.isNaN(waitMs) ? undefined : Math.min(LONGEST_MS, Math.max(0, waitMs))
}
