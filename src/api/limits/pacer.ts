import type { RateSignal } from './rate-signal.ts'

/** Sent while nothing is known of a window: enough that one answer that is lost does not stop all. */
const MAX_PROBES = 4

interface Window {
  /** The least that any answer of this window left. */
  remaining: number
  /** Taken since it began. */
  taken: number
  readonly startedMs: number
  resetAtMs: number
}

/** How much of a limit is ours: the rest is left to others that use the same key. */
export interface PaceShare {
  /** Of the whole limit, above 0 and at most 1. */
  readonly share: number
  /** Processes of this machine that divide it among them, this one included. */
  readonly processes: number
}

const ALL: PaceShare = { share: 1, processes: 1 }

/**
 * Keeps the requests of one client within the limits that its answers tell, so that it is not refused. What is under way
 * counts as not yet counted. A window that has passed, and the first one, are found out about with a few requests; when
 * an answer tells of no limit there is none to keep.
 */
export class Pacer {
  readonly #now: () => number
  readonly #share: () => PaceShare
  #window: Window | undefined
  #limit = Number.POSITIVE_INFINITY
  #isOpen = false
  #inFlight = 0
  #mostInFlight = 0

  constructor(now: () => number, share: () => PaceShare = () => ALL) {
    this.#now = now
    this.#share = share
  }

  /** Whether the server tells its limit. */
  get isTold(): boolean {
    return Number.isFinite(this.#limit)
  }

  /** 0: go on, counted as sent. More: nothing is left for so long. Undefined: only an answer can tell. */
  take(): number | undefined {
    const waitMs = this.#waitMs()
    if (waitMs === 0) this.force()
    return waitMs
  }

  /** Counts a request that is sent in any case. */
  force(): void {
    this.#inFlight += 1
    if (this.#window) this.#window.taken += 1
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight)
  }

  /** The window is over by the clock of whoever waited for it. */
  passWindow(): void {
    this.#window = undefined
  }

  /** After every request, successful or not; `signal` is undefined when the answer has no limit. */
  answered(signal: RateSignal | undefined, isReply: boolean): void {
    this.#inFlight -= 1
    if (signal) this.#learn(signal)
    else if (this.#window === undefined && (isReply || this.#limit === Number.POSITIVE_INFINITY)) this.#isOpen = true
  }

  #waitMs(): number | undefined {
    const window = this.#window
    if (!window) return this.#isOpen || this.#inFlight < Math.min(MAX_PROBES, this.#limit) ? 0 : undefined
    const nowMs = this.#now()
    // A clock that was set back must not make the window longer than it ever was.
    const leftMs = Math.min(window.resetAtMs - nowMs, window.resetAtMs - window.startedMs)
    if (leftMs <= 0) {
      this.#window = undefined
      return this.#waitMs()
    }
    const free = this.#freeIn(window)
    if (free > this.#inFlight) return 0
    return free > 0 && this.#inFlight > 0 ? undefined : leftMs
  }

  #freeIn({ remaining, taken }: Window): number {
    if (!this.isTold) return remaining
    const { share, processes } = this.#share()
    // What is under way is part of what was taken.
    const own = Math.max(1, (this.#limit * share) / processes) - taken + this.#inFlight
    // What the others have under way now is not in any answer yet.
    return Math.floor(Math.min((remaining - this.#limit * (1 - share)) / processes, own))
  }

  #learn({ remaining, resetInMs, limit }: RateSignal): void {
    const nowMs = this.#now()
    this.#isOpen = false
    if (limit !== undefined) this.#limit = Math.max(1, limit)
    const resetAtMs = nowMs + resetInMs
    const window = this.#window
    // Answers overtake each other; more than that can explain is a refill.
    if (window && remaining <= window.remaining + this.#mostInFlight) {
      window.remaining = Math.min(window.remaining, remaining)
      // Whole seconds are rounded up: the earliest end in any answer is the closest.
      window.resetAtMs = Math.min(window.resetAtMs, resetAtMs)
    } else {
      // The request of that answer is part of the window, too.
      this.#window = { remaining, taken: this.#inFlight + 1, startedMs: nowMs, resetAtMs }
    }
  }
}
