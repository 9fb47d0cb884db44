import { Problem } from './problem.ts'
import type { Store } from './store/store.ts'

export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

export interface Quota {
  /** Remaining requests in the window after this one; negative when exceeded. */
  readonly left: number
  readonly endsAtMs: number
}

interface Window {
  /** Counted from the epoch. */
  number: number
  readonly counts: Map<string, number>
}

/** Counts the requests of keys. */
export interface Limiter {
  take(keyId: string, limit: RateLimit, nowMs: number): Quota | Promise<Quota>
}

/**
 * Counts requests per key in fixed windows. Windows of one length start at the same time for all keys, so their counts are
 * dropped together and memory is bounded by the keys of one window per length.
 */
export class RateWindows implements Limiter {
  readonly #windows = new Map<number, Window>()

  take(keyId: string, { requests, windowMs }: RateLimit, nowMs: number): Quota {
    const number = Math.floor(nowMs / windowMs)
    const { counts } = this.#windowOf(windowMs, number)
    const count = (counts.get(keyId) ?? 0) + 1
    counts.set(keyId, count)
    return { left: requests - count, endsAtMs: (number + 1) * windowMs }
  }

  #windowOf(windowMs: number, number: number): Window {
    const known = this.#windows.get(windowMs)
    const window = known ?? { number, counts: new Map() }
    if (!known) this.#windows.set(windowMs, window)
    if (window.number !== number) {
      window.number = number
      window.counts.clear()
    }
    return window
  }
}

/** The part of a limit that a process takes at once: what it leaves is lost for the others, so it is small. */
const SHARE = 0.01

/** The window of a key in this process. */
interface Share {
  readonly window: number
  /** Requests of the window in all processes, with what this one has left. */
  total: number
  /** Taken from the database, and not yet used. */
  left: number
  isUsedUp: boolean
  taking: Promise<void> | undefined
}

/** Counts requests per key in fixed windows, over all processes of a database: each takes some of the limit at a time. */
export class SharedWindows implements Limiter {
  readonly #count: NonNullable<Store['countRequests']>
  readonly #shares = new Map<string, Share>()
  #lastSweepMs = 0

  constructor(count: NonNullable<Store['countRequests']>) {
    this.#count = count
  }

  async take(keyId: string, limit: RateLimit, nowMs: number): Promise<Quota> {
    const { requests, windowMs } = limit
    const window = Math.floor(nowMs / windowMs)
    const endsAtMs = (window + 1) * windowMs
    const share = this.#shareOf(`${keyId}/${windowMs}`, window, nowMs)
    while (share.left === 0 && !share.isUsedUp) {
      share.taking ??= this.#refill(share, keyId, limit)
      await share.taking
    }
    if (share.left === 0) return { left: -1, endsAtMs }
    share.left--
    return { left: requests - (share.total - share.left), endsAtMs }
  }

  #shareOf(place: string, window: number, nowMs: number): Share {
    const known = this.#shares.get(place)
    if (known?.window === window) return known
    this.#sweep(nowMs)
    const share: Share = { window, total: 0, left: 0, isUsedUp: false, taking: undefined }
    this.#shares.set(place, share)
    return share
  }

  async #refill(share: Share, keyId: string, { requests, windowMs }: RateLimit): Promise<void> {
    const count = Math.max(1, Math.floor(requests * SHARE))
    try {
      const before = await this.#count({ keyId, windowMs, window: share.window, count })
      share.left = Math.max(0, Math.min(count, requests - before))
      share.total = Math.min(requests, before + count)
      share.isUsedUp = share.left === 0
    } finally {
      share.taking = undefined
    }
  }

  /** Drops all once a minute, so that keys without requests take no memory; what was left of a share is lost. */
  #sweep(nowMs: number): void {
    if (Math.abs(nowMs - this.#lastSweepMs) < 60_000) return
    this.#lastSweepMs = nowMs
    for (const [place, { taking }] of this.#shares) if (!taking) this.#shares.delete(place)
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
  throw new Problem(
    429,
    'rate_limited',
    `more than ${limit.requests} requests in ${limit.windowMs / 1000} s with this key`,
    {
      headers: { 'retry-after': `${secondsLeft(quota, nowMs)}` },
      type: {
        uri: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Request cannot be satisfied as assigned quota has been exceeded',
      },
      extensions: { 'violated-policies': ['default'] },
    },
  )
}

function secondsLeft(quota: Quota, nowMs: number): number {
  return Math.max(1, Math.ceil((quota.endsAtMs - nowMs) / 1000))
}
