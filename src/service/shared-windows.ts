import type { Limiter, Quota, RateLimit } from './rate-limit.ts'
import type { Store } from './store/store.ts'

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
