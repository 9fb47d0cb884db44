import { type Failure, isFailure } from '../errors/failure.ts'
import type { Answer } from '../transport/answer.ts'
import { type Ceiling, RECHECK_MS } from './ceiling.ts'
import type { AccountProcesses, ObservedCapacity } from './observed-capacity.ts'
import { type RateSignal, readRateSignal } from './rate-headers.ts'

/** Requests in flight while the window is unknown: more than one, so that a lost answer does not stop all. */
const MAX_PROBES = 4
/** Requests at the very end of a window still count against it. */
const MARGIN_MS = 20

interface Window {
  /** The smallest remaining number in the answers of this window. */
  remaining: number
  /** Requests sent since its start. */
  sent: number
  readonly startedMs: number
  resetAtMs: number
}

/** The part of a limit that this process may use; the rest is for others with the same key. */
export interface RateShare extends AccountProcesses {
  /** Part of the limit, above 0 and at most 1. */
  readonly share: number
}

const ALL: RateShare = { share: 1, processes: 1 }

export interface RateLimiterOptions {
  /** The clock for waits; if it is set back, a wait is not longer than a window. */
  readonly nowMs: () => number
  /** The clock for dates in headers. */
  readonly wallMs: () => number
  readonly share?: () => RateShare
  /** Applies to a server that states no limit; without it, nothing waits there. */
  readonly observed?: ObservedCapacity
  /** The limits that the connector states. */
  readonly ceiling?: Ceiling | undefined
}

/**
 * Decides when the next request may be sent. A limit in the headers is obeyed, and requests in flight count against it; the
 * first requests of a window reveal it. If no limit is stated, the observed capacity decides.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  #window: Window | undefined
  #limit = Number.POSITIVE_INFINITY
  /** Whether the last answer stated no limit. */
  #isOpen = false
  #inFlight = 0
  #mostInFlight = 0

  constructor(options: RateLimiterOptions) {
    this.#options = options
  }

  /** The maximum number of requests in flight. */
  get concurrency(): number {
    return this.#options.observed?.concurrency ?? Number.POSITIVE_INFINITY
  }

  /** 0: send now, the request is counted; more: wait so many milliseconds; undefined: wait for an answer. */
  take(share = this.#share): number | undefined {
    const nowMs = this.#options.nowMs()
    const { observed, ceiling } = this.#options
    const observedMs = this.#isStated || !observed ? 0 : observed.waitMs(nowMs, this.#inFlight)
    const learntMs = observedMs === 0 ? this.#statedWaitMs(nowMs, share) : observedMs
    const waitMs = learntMs === 0 && ceiling ? this.#ceilingMs(ceiling, share) : learntMs
    if (waitMs === 0) this.force()
    return waitMs
  }

  /** No answer wakes a queue without a request in flight. */
  #ceilingMs(ceiling: Ceiling, share: RateShare): number | undefined {
    return ceiling.waitMs(share) ?? (this.#inFlight > 0 ? undefined : RECHECK_MS)
  }

  /** Counts a request that is sent regardless. */
  force(): void {
    this.#inFlight += 1
    if (this.#window) this.#window.sent += 1
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight)
    this.#options.ceiling?.sent()
    this.#options.observed?.sent(this.#options.nowMs(), this.#share.processes)
  }

  /** Call when the window has ended by the caller's clock. */
  passWindow(): void {
    this.#window = undefined
  }

  /** Call after every counted request; `outcome` is undefined if there is none. */
  answered(outcome: Answer | Failure | undefined, tookMs = 0): void {
    this.#inFlight -= 1
    this.#options.ceiling?.ended()
    const nowMs = this.#options.nowMs()
    const isReply = outcome?.headers !== undefined
    const isRefused = outcome !== undefined && this.#isRefusal(outcome)
    const signal = outcome && this.#signalOf(outcome, isRefused)
    if (signal) this.#learn(signal, nowMs)
    else if (this.#window === undefined && (isReply || !this.#isStated)) this.#isOpen = true
    const { observed } = this.#options
    if (!outcome || !observed) return
    if (isRefused) observed.refused(nowMs)
    else if (!isFailure(outcome)) observed.succeeded(nowMs, this.#share)
    if (!isReply) observed.lost()
    else if (!isRefused) observed.replied(tookMs, this.#isStated)
  }

  get #isStated(): boolean {
    return Number.isFinite(this.#limit)
  }

  get #share(): RateShare {
    return this.#options.share?.() ?? ALL
  }

  #statedWaitMs(nowMs: number, share: RateShare): number | undefined {
    const window = this.#window
    if (!window) return this.#isOpen || this.#inFlight < Math.min(MAX_PROBES, this.#limit) ? 0 : undefined
    // A clock that is set back must not make the window longer.
    const leftMs = Math.min(window.resetAtMs - nowMs, window.resetAtMs - window.startedMs)
    if (leftMs <= 0) {
      this.#window = undefined
      return this.#statedWaitMs(nowMs, share)
    }
    const free = this.#freeIn(window, share)
    if (free > this.#inFlight) return 0
    return free > 0 && this.#inFlight > 0 ? undefined : leftMs + MARGIN_MS
  }

  #freeIn({ remaining, sent }: Window, { share, processes }: RateShare): number {
    if (!this.#isStated) return remaining
    // Requests in flight are part of those sent.
    const own = Math.max(1, (this.#limit * share) / processes) - sent + this.#inFlight
    // Answers do not count what other processes have in flight.
    return Math.floor(Math.min((remaining - this.#limit * (1 - share)) / processes, own))
  }

  #learn({ remaining, resetInMs, limit }: RateSignal, nowMs: number): void {
    this.#isOpen = false
    if (limit !== undefined) this.#limit = Math.max(1, limit)
    const resetAtMs = nowMs + resetInMs
    const window = this.#window
    // Answers may be out of order; a larger difference means a new window.
    if (window && remaining <= window.remaining + this.#mostInFlight) {
      window.remaining = Math.min(window.remaining, remaining)
      // Whole seconds are rounded up: the earliest end in any answer is the closest.
      window.resetAtMs = Math.min(window.resetAtMs, resetAtMs)
    } else {
      // The request of that answer is part of the window.
      this.#window = { remaining, sent: this.#inFlight + 1, startedMs: nowMs, resetAtMs }
    }
  }

  /** A refusal for a rate limit; for bulk work also any answer with Retry-After, such as a 503. */
  #isRefusal(outcome: Answer | Failure): boolean {
    if (!isFailure(outcome)) return false
    return (
      outcome.code === 'rate_limited' || (this.#options.observed !== undefined && outcome.retryAfterMs !== undefined)
    )
  }

  #signalOf(outcome: Answer | Failure, isRefused: boolean): RateSignal | undefined {
    const signal = outcome.headers && readRateSignal(outcome.headers, this.#options.wallMs())
    if (!isRefused || signal?.remaining === 0) return signal
    // A refusal means that no requests are left, whatever its headers state.
    const resetInMs = (isFailure(outcome) ? outcome.retryAfterMs : undefined) ?? signal?.resetInMs
    return resetInMs === undefined ? undefined : { remaining: 0, resetInMs, limit: signal?.limit }
  }
}
