/** Before the first refusal; doubles in 35 answers, so that a server without a limit is not slowed down. */
const FIRST_PER_SECOND = 50
const START_GROWTH = 1.02
const MAX_PER_SECOND = 1e6
const MIN_PER_SECOND = 0.1
/** With the increase of 2 % a second, the rate is back where it was refused after less than six seconds. */
const DECREASE = 0.9
const INCREASE_PER_SECOND = 0.02
/** Without a refusal for so long, the increase doubles: what refused was no limit, such as a database that was away. */
const INCREASE_DOUBLES_MS = 30_000
/** An answer after a long wait says nothing about the time before. */
const LONGEST_INCREASE_MS = 10_000
/** Some servers refuse one request in a hundred at any rate. So few refusals do not reduce the rate. */
const TOLERATED_SHARE = 0.025
const SHARE_COUNTED_OVER = 200
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
/** Timers are late by some milliseconds: requests due within this time are sent at once. */
const BURST_MS = 100

const FIRST_CONCURRENCY = 8
/** Reaching a limit refuses all requests in flight. Their number grows only after so many answers without a refusal. */
const ANSWERS_BEFORE_GROWTH = 1000
/** With slower answers, more requests in flight would wait longer, some past their timeout. */
const QUICK_MS = 1000

/** The processes on this machine that send to one account. */
export interface AccountProcesses {
  /** Their number, including this one. */
  readonly processes: number
  /** The rate, in requests per second, that another process has observed. */
  readonly perSecond?: number | undefined
}

/**
 * The capacity of a server that states no limit: requests per second and requests in flight, each by additive increase and
 * multiplicative decrease (RFC 5681). docs/decisions/0019 has the figures behind the deviations.
 */
export class ObservedCapacity {
  readonly #fixedConcurrency: number | undefined
  readonly #most: number
  #concurrency = FIRST_CONCURRENCY
  /** Of all processes of the account. */
  #perSecond = FIRST_PER_SECOND
  #hasLimit = false
  #increasedAtMs = 0
  #answers = 0
  /** The time from one pause to the next. */
  #cycle: { readonly startMs: number; answers: number } | undefined
  #cycles = 0
  #refusedShare = 0
  #refusedSinceMs: number | undefined
  #pausedUntilMs = 0
  #nextMs = 0

  /** A given `concurrency` never changes; otherwise it grows up to `most`. */
  constructor({ concurrency, most }: { readonly concurrency: number | undefined; readonly most: number }) {
    this.#fixedConcurrency = concurrency
    this.#most = most
  }

  get concurrency(): number {
    return this.#fixedConcurrency ?? Math.min(this.#most, Math.floor(this.#concurrency))
  }

  /** Requests per second; undefined before the first refusal. */
  get perSecond(): number | undefined {
    return this.#hasLimit ? this.#perSecond : undefined
  }

  /** Starts with the rate that another process of the account has observed. */
  adopt(perSecond: number, nowMs: number): void {
    this.#perSecond = Math.max(MIN_PER_SECOND, perSecond)
    this.#hasLimit = true
    this.#increasedAtMs = nowMs
  }

  /** 0: send now; more: wait so long; undefined: wait for the next answer, because one request tests whether the server still refuses. */
  waitMs(nowMs: number, inFlight: number): number | undefined {
    const waitMs = Math.max(this.#pausedUntilMs - nowMs, this.#nextMs - nowMs)
    if (waitMs > 0) return waitMs
    return this.#refusedSinceMs !== undefined && inFlight > 0 ? undefined : 0
  }

  /** Call after each request; `processes` send to the account. */
  sent(nowMs: number, processes: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST_MS) + (1000 * processes) / this.#perSecond
  }

  succeeded(nowMs: number, shared: AccountProcesses): void {
    this.#cycle ??= { startMs: nowMs, answers: 0 }
    this.#cycle.answers += 1
    this.#refusedShare *= 1 - 1 / SHARE_COUNTED_OVER
    // Answers to requests sent before the pause say nothing about its end.
    if (this.#refusedSinceMs !== undefined && nowMs >= this.#pausedUntilMs) this.#resume(nowMs, shared)
    else this.#perSecond = Math.min(this.#perSecond * this.#growth(nowMs, this.#cycle.startMs), MAX_PER_SECOND)
    this.#increasedAtMs = nowMs
  }

  #growth(nowMs: number, sinceMs: number): number {
    if (!this.#hasLimit) return START_GROWTH
    const increase = INCREASE_PER_SECOND * 2 ** Math.floor((nowMs - sinceMs) / INCREASE_DOUBLES_MS)
    return (1 + Math.min(1, increase)) ** (Math.min(nowMs - this.#increasedAtMs, LONGEST_INCREASE_MS) / 1000)
  }

  /** Starts a pause: 250 ms at first, then as long as the server has been refusing. */
  refused(nowMs: number): void {
    this.#refusedShare += (1 - this.#refusedShare) / SHARE_COUNTED_OVER
    if (nowMs < this.#pausedUntilMs) return
    this.#refusedSinceMs ??= nowMs
    const pauseMs = Math.max(FIRST_PAUSE_MS, nowMs - this.#refusedSinceMs)
    this.#pausedUntilMs = nowMs + Math.min(pauseMs, MAX_PAUSE_MS)
  }

  /** Call after each answer that is not a refusal: allows one more in flight per round of answers. */
  replied(tookMs: number, isLimitStated: boolean): void {
    this.#answers += 1
    const mayGrow = isLimitStated || this.#hasLimit || this.#answers > ANSWERS_BEFORE_GROWTH
    if (mayGrow && tookMs < QUICK_MS && this.#concurrency < this.#most) this.#concurrency += 1 / this.#concurrency
  }

  /** Call after a request without an answer: halves the number in flight. */
  lost(): void {
    this.#concurrency = Math.max(1, this.#concurrency / 2)
  }

  /** Sets the rate to a little less than the server accepted; after the first two cycles, to at least half of the former rate. */
  #resume(nowMs: number, { processes, perSecond }: AccountProcesses): void {
    const { startMs, answers } = this.#cycle ?? { startMs: nowMs, answers: 0 }
    if (this.#refusedShare >= TOLERATED_SHARE) {
      const observed = (processes * answers * 1000) / Math.max(1, nowMs - startMs)
      // The initial rate is far above most limits, and the first cycle may begin late in a window.
      // A process with a small part of a window must not mistake that part for the limit.
      const least = (this.#cycles < 2 ? (perSecond ?? 0) : this.#perSecond) / 2
      this.adopt(Math.max(least, DECREASE * Math.min(observed, this.#perSecond)), nowMs)
    }
    this.#refusedSinceMs = undefined
    this.#cycle = { startMs: nowMs, answers: 0 }
    this.#cycles += 1
  }
}
