import { Problem } from './problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

export interface Quota {
  /** What is left in this window after this request; below zero when it went over. */
  readonly left: number
  readonly endsAtMs: number
}

/**
 * Counts requests per key in windows that start at the same moment for all keys, so that the counts of a window
 * are dropped together and memory never exceeds the keys of one window.
 */
export class RateLimiter {
  readonly #limit: RateLimit
  readonly #counts = new Map<string, number>()
  #window = Number.NaN

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  take(keyId: string, nowMs: number): Quota {
    const window = Math.floor(nowMs / this.#limit.windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const count = (this.#counts.get(keyId) ?? 0) + 1
    this.#counts.set(keyId, count)
    return { left: this.#limit.requests - count, endsAtMs: (window + 1) * this.#limit.windowMs }
  }
}

/**
 * draft-ietf-httpapi-ratelimit-headers, and the X- headers of older clients, whose reset is the Unix time in seconds
 * as GitHub sends it, where the draft's `t` counts down.
 */
export function rateHeaders(limit: RateLimit, quota: Quota, nowMs: number): Record<string, string> {
  const left = Math.max(0, quota.left)
  return {
    'ratelimit-policy': `"default";q=${limit.requests};w=${Math.ceil(limit.windowMs / 1000)}`,
    ratelimit: `"default";r=${left};t=${secondsLeft(quota, nowMs)}`,
    'x-ratelimit-limit': `${limit.requests}`,
    'x-ratelimit-remaining': `${left}`,
    'x-ratelimit-reset': `${Math.ceil(quota.endsAtMs / 1000)}`,
  }
}

export function requireQuota(limit: RateLimit, quota: Quota, nowMs: number): void {
  if (quota.left >= 0) return
  throw new Problem(429, {
    code: 'rate_limited',
    detail: `more than ${limit.requests} requests in ${limit.windowMs / 1000} s with this key`,
    headers: { 'retry-after': `${secondsLeft(quota, nowMs)}` },
    type: {
      uri: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
    },
    extensions: { 'violated-policies': ['default'] },
  })
}

function secondsLeft(quota: Quota, nowMs: number): number {
  return Math.max(1, Math.ceil((quota.endsAtMs - nowMs) / 1000))
}
