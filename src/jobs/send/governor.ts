import { type Failure, isFailure } from '../../api/errors/failure.ts'
import { Pacer, type PaceShare } from '../../api/limits/pacer.ts'
import { readRateSignal } from '../../api/limits/rate-signal.ts'
import type { Answer } from '../../api/transport/answer.ts'
import { CubicRate } from './cubic.ts'
import type { Pace } from './pace.ts'
import { Width } from './width.ts'

const FIRST_WIDTH = 8
/** All that is under way when a limit is first met is refused: no more at once until so many were answered without one. */
const CAUTIOUS_FOR = 1000
/** A request that arrives in the last millisecond of a window is one too many for it. */
const MARGIN_MS = 20
/** What was not sent in time may be made up for at once, for so long. */
const BURST_MS = 100

export interface GovernorOptions {
  /** `--concurrency`: always as many; undefined finds out. */
  readonly concurrency: number | undefined
  readonly most: number
  /** By the steady clock. */
  readonly steadyMs: () => number
  /** By the wall clock, for headers that hold a date. */
  readonly wallMs: () => number
  readonly share: () => PaceShare
}

/** The limits that the server tells, else the rate that it is felt to allow; and how many requests are worth while at once. */
export class Governor implements Pace {
  readonly #options: GovernorOptions
  readonly #pacer: Pacer
  readonly #rate = new CubicRate()
  readonly #width: Width
  #nextMs = 0
  #processes = 1
  #underWay = 0
  #answers = 0

  constructor(options: GovernorOptions) {
    const { concurrency, most, steadyMs, share } = options
    this.#options = options
    this.#pacer = new Pacer(steadyMs, share)
    this.#width = new Width(concurrency ?? FIRST_WIDTH, concurrency ?? most)
  }

  get width(): number {
    return this.#options.concurrency ?? (this.#isCautious ? Math.min(FIRST_WIDTH, this.#width.now) : this.#width.now)
  }

  /** Requests a second, found without a header; undefined while nothing was refused. */
  get feltPerSecond(): number | undefined {
    return this.#rate.isFeltFor ? this.#rate.perSecond : undefined
  }

  /** What another process of the account has felt is a better beginning than none. */
  adopt(perSecond: number): void {
    if (!this.#rate.isFeltFor) this.#rate.adopt(perSecond, this.#options.steadyMs())
  }

  take(): number | undefined {
    const nowMs = this.#options.steadyMs()
    const ownWaitMs = this.#pacer.isTold ? 0 : this.#rateWaitMs(nowMs)
    if (ownWaitMs > 0) return ownWaitMs
    if (this.#rate.isRefused && this.#underWay > 0) return undefined
    const waitMs = this.#pacer.take()
    if (waitMs !== 0) return waitMs === undefined ? undefined : waitMs + MARGIN_MS
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST_MS) + 1000 / this.#rate.perSecond
    this.#underWay += 1
    return 0
  }

  answered(outcome: Answer | Failure, tookMs: number): void {
    const nowMs = this.#options.steadyMs()
    this.#underWay -= 1
    this.#answers += 1
    const isRefused = isFailure(outcome) && (outcome.code === 'rate_limited' || outcome.retryAfterMs !== undefined)
    this.#pacer.answered(this.#signalOf(outcome, isRefused), outcome.headers !== undefined)
    if (isRefused) this.#rate.refused(nowMs)
    else if (!isFailure(outcome)) this.#rate.succeeded(nowMs)
    if (outcome.headers === undefined) this.#width.shrink()
    else if (!isRefused && !this.#isCautious) this.#width.answered(nowMs, tookMs)
  }

  /** Whether there may be a limit that neither a header nor a refusal has shown yet. */
  get #isCautious(): boolean {
    return !this.#pacer.isTold && !this.#rate.isFeltFor && this.#answers < CAUTIOUS_FOR
  }

  /** What one process felt to be allowed is for all of them together. */
  #rateWaitMs(nowMs: number): number {
    const { processes } = this.#options.share()
    if (processes !== this.#processes) {
      if (this.#rate.isFeltFor) this.#rate.adopt((this.#rate.perSecond * this.#processes) / processes, nowMs)
      this.#processes = processes
    }
    return Math.max(this.#rate.pauseMs(nowMs), this.#nextMs - nowMs)
  }

  #signalOf(outcome: Answer | Failure, isRefused: boolean) {
    const signal = outcome.headers && readRateSignal(outcome.headers, this.#options.wallMs())
    if (!isRefused || signal?.remaining === 0) return signal
    // A refusal says that nothing is left, whatever else it says.
    const resetInMs = (isFailure(outcome) ? outcome.retryAfterMs : undefined) ?? signal?.resetInMs
    return resetInMs === undefined ? undefined : { remaining: 0, resetInMs, limit: signal?.limit }
  }
}
