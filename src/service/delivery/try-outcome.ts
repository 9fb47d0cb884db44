import type { TryOutcome } from '../store/deliveries.ts'
import type { Attempt } from './transport.ts'

const S = 1000
const MIN = 60 * S
const H = 60 * MIN

/** Delay before the first attempt and after each failure: the example of Standard Webhooks 1.0, over three days. */
const DELAYS_MS: readonly number[] = [0, 5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H]

/** Spreads retries of deliveries that failed together. */
const JITTER = 0.1

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
export function endsSubscription(outcome: TryOutcome): boolean {
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

/** The delay before the next attempt after so many failures; undefined when there is none. */
type Schedule = (failedTries: number) => number | undefined

export function standardSchedule(random: () => number = Math.random): Schedule {
  return (failedTries) => {
    const delayMs = DELAYS_MS[failedTries]
    return delayMs === undefined ? undefined : Math.round(delayMs * (1 + JITTER * (2 * random() - 1)))
  }
}

export function fixedSchedule(delaysMs: readonly number[]): Schedule {
  return (failedTries) => delaysMs[failedTries]
}

/** Concurrent attempts per subscription; the limit adapts to its answers. */
const FIRST_LIMIT = 4
const LOWEST_LIMIT = 2
const HIGHEST_LIMIT = 64

/** The longest pause that an endpoint can request. */
const LONGEST_PAUSE_MS = 5 * 60 * 1000

/** `healthy` raises the limit, `overloaded` (no answer, or an overload) lowers it, `unknown` leaves it. */
type EndpointHealth = 'healthy' | 'overloaded' | 'unknown'

interface Endpoint {
  limit: number
  pausedUntilMs: number
}

/** Keeps a dead endpoint from using up the sockets, and a recovering one from being overloaded. */
export class EndpointLimits {
  readonly #endpoints = new Map<string, Endpoint>()

  limitOf(webhookId: string, nowMs: number): number {
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return FIRST_LIMIT
    return nowMs < endpoint.pausedUntilMs ? 0 : endpoint.limit
  }

  record(webhookId: string, health: EndpointHealth): void {
    const endpoint = this.#endpointOf(webhookId)
    if (health === 'healthy') endpoint.limit = Math.min(HIGHEST_LIMIT, endpoint.limit * 2)
    if (health === 'overloaded') endpoint.limit = Math.max(LOWEST_LIMIT, Math.floor(endpoint.limit / 2))
  }

  pause(webhookId: string, untilMs: number, nowMs: number): void {
    const endpoint = this.#endpointOf(webhookId)
    endpoint.pausedUntilMs = Math.max(endpoint.pausedUntilMs, Math.min(untilMs, nowMs + LONGEST_PAUSE_MS))
  }

  #endpointOf(webhookId: string): Endpoint {
    const known = this.#endpoints.get(webhookId)
    if (known) return known
    const endpoint = { limit: FIRST_LIMIT, pausedUntilMs: 0 }
    this.#endpoints.set(webhookId, endpoint)
    return endpoint
  }
}
