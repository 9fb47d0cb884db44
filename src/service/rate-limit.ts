import { Problem } from './problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

export interface Quota {
  /** Remaining requests in the window after this one; negative when exceeded. */
  readonly left: number
  readonly endsAtMs: number
}

/** The part of a limit that a process takes at once: what it leaves is lost for the others, so it is small. */
const SHARE = 0.01

/** The window of a key in this process. */
interface Share {
  readonly endsAtMs: number
  /** Requests of the window in all processes, with what this one has left. */
  total: number
  left: number
  /** Nothing more can be taken from the database. */
  isLast: boolean
  taking: Promise<void> | undefined
}

/** Requests of a key in a window, numbered from the epoch. */
export interface RequestCount {
  readonly keyId: string
  readonly windowMs: number
  readonly window: number
  readonly count: number
}

type CountRequests = (taken: RequestCount) => Promise<number>

/** Counts requests per key in fixed windows. With `count`, over all processes of a database: each takes some of the limit at a time. */
export class RateWindows {
  readonly #count: CountRequests | undefined
  readonly #shares = new Map<string, Share>()
  #lastSweepMs = 0

  constructor(count?: CountRequests) {
    this.#count = count
  }

  take(keyId: string, limit: RateLimit, nowMs: number): Quota | Promise<Quota> {
    const share = this.#shareOf(keyId, limit, nowMs)
    return share.left > 0 || share.isLast ? used(share, limit) : this.#taken(share, keyId, limit)
  }

  #shareOf(keyId: string, { requests, windowMs }: RateLimit, nowMs: number): Share {
    const place = `${keyId}/${windowMs}`
    const endsAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
    const known = this.#shares.get(place)
    if (known?.endsAtMs === endsAtMs) return known
    this.#sweep(nowMs)
    const first = this.#count ? 0 : requests
    const share = { endsAtMs, total: first, left: first, isLast: !this.#count, taking: undefined }
    this.#shares.set(place, share)
    return share
  }

  async #taken(share: Share, keyId: string, limit: RateLimit): Promise<Quota> {
    while (share.left === 0 && !share.isLast) {
      share.taking ??= this.#refill(share, keyId, limit)
      await share.taking
    }
    return used(share, limit)
  }

  async #refill(share: Share, keyId: string, { requests, windowMs }: RateLimit): Promise<void> {
    const count = Math.max(1, Math.floor(requests * SHARE))
    try {
      const before = (await this.#count?.({ keyId, windowMs, window: share.endsAtMs / windowMs - 1, count })) ?? 0
      share.left = Math.max(0, Math.min(count, requests - before))
      share.total = Math.min(requests, before + count)
      share.isLast = share.left === 0
    } finally {
      share.taking = undefined
    }
  }

  /** Drops windows that have ended, once a minute, so that keys without requests take no memory. */
  #sweep(nowMs: number): void {
    if (Math.abs(nowMs - this.#lastSweepMs) < 60_000) return
    this.#lastSweepMs = nowMs
    for (const [place, { endsAtMs, taking }] of this.#shares)
      if (endsAtMs <= nowMs && !taking) this.#shares.delete(place)
  }
}

function used(share: Share, { requests }: RateLimit): Quota {
  if (share.left === 0) return { left: -1, endsAtMs: share.endsAtMs }
  share.left--
  return { left: requests - (share.total - share.left), endsAtMs: share.endsAtMs }
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
