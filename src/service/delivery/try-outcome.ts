import type { TryOutcome } from '../store/deliveries.ts'
import type { EndpointHealth } from './endpoint-limits.ts'
import type { Schedule } from './schedule.ts'
import type { Attempt } from './transport.ts'

/** The longest step of the schedule: an endpoint cannot delay an attempt by more than a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000

const GONE = 410

/** Statuses about the endpoint, not the event. */
const OVERLOADED: readonly number[] = [408, 429, 502, 503, 504]

export interface Tried {
  readonly attempt: Attempt
  /** Failed attempts before this one. */
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

/** Whether the answer ends the subscription and not only the event. */
export function isGone(outcome: TryOutcome): boolean {
  return outcome.type === 'failed' && outcome.status === GONE
}

export function healthOf(attempt: Attempt): EndpointHealth {
  if (attempt.type !== 'answered') return 'overloaded'
  if (OVERLOADED.includes(attempt.status)) return 'overloaded'
  return attempt.status < 300 ? 'healthy' : 'unknown'
}

/** The pause that the endpoint requests (Retry-After of 429 and 503, RFC 9110 section 10.2.3). */
export function pauseMs(attempt: Attempt, nowMs: number): number | undefined {
  if (attempt.type !== 'answered' || (attempt.status !== 429 && attempt.status !== 503)) return undefined
  return attempt.retryAfter === undefined ? undefined : parseRetryAfterMs(attempt.retryAfter, nowMs)
}

function answerReason(status: number): string {
  if (status >= 300 && status < 400) return `answered ${status}; redirects are not followed`
  if (status === GONE) return `answered ${status}: the endpoint is gone`
  return `answered ${status}`
}

/** Seconds or an HTTP date, as a delay of at most a day; undefined for any other text. */
function parseRetryAfterMs(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim()
  const waitMs = /^\d+$/.test(trimmed) ? Number(trimmed) * 1000 : Date.parse(trimmed) - nowMs
  return Number.isNaN(waitMs) ? undefined : Math.min(LONGEST_MS, Math.max(0, waitMs))
}
