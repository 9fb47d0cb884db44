import type { IncomingHttpHeaders } from 'node:http'
import type { ApiOptions, StatedRate } from '../api.ts'
import { type Failure, isFailure } from '../errors/failure.ts'
import type { Answer } from '../transport/answer.ts'
import { NOTICEABLE_WAIT_MS, type Timing } from '../transport/timing.ts'
import { Pacer } from './pacer.ts'
import { type RateSignal, readRateSignal } from './rate-signal.ts'
import type { RetryState } from './retry.ts'
import { statedRate } from './stated-rate.ts'

/** A request that arrives in the last millisecond of a window is one too many for it. */
const MARGIN_MS = 20

type TurnstileOptions = Pick<ApiOptions, 'baseUrl' | 'maxWaitMs' | 'now' | 'debug' | 'onWait'>

/** Where requests wait, one behind the other, until the limits that the server tells have room for them. */
export class RateLimiter {
  readonly #options: TurnstileOptions
  readonly #sleep: Timing['sleep']
  readonly #pacer: Pacer
  #queueEnd: Promise<void> | undefined
  #queued = 0
  #wake: () => void = () => {}
  #last: { readonly headers: IncomingHttpHeaders; readonly atMs: number } | undefined

  constructor(options: TurnstileOptions, sleep: Timing['sleep']) {
    this.#options = options
    this.#sleep = sleep
    this.#pacer = new Pacer(options.now)
  }

  /**
   * Resolves when it is this request's turn, or as soon as the signal aborts. A wait that `state` has no time for is left
   * out: the server decides then.
   */
  async enter(state: RetryState, signal: AbortSignal): Promise<void> {
    if (this.#queued === 0 && this.#pacer.take() === 0) return
    const before = this.#queueEnd
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#queueEnd = promise
    this.#queued += 1
    try {
      await orAbort(before, signal)
      await this.#passHead(state, signal)
    } finally {
      this.#queued -= 1
      // Who leaves the queue out of turn does not let in who stands behind.
      void Promise.resolve(before).then(resolve)
    }
  }

  /** For a call that has already waited as long as the server asked. */
  enterAtOnce(): void {
    this.#pacer.force()
  }

  /** The limit in the last answer; parsed on demand, because few callers need it. */
  get rate(): StatedRate | undefined {
    return this.#last && statedRate(this.#last.headers, this.#last.atMs, this.#options.now())
  }

  /** After every request that entered; undefined when it came to nothing. */
  leave(outcome: Answer | Failure | undefined): void {
    if (outcome?.headers) this.#last = { headers: outcome.headers, atMs: this.#options.now() }
    this.#pacer.answered(outcome && this.#signalOf(outcome), outcome?.headers !== undefined)
    this.#wake()
  }

  async #passHead(state: RetryState, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = this.#pacer.take()
      if (leftMs === 0) return
      if (leftMs === undefined) await orAbort(this.#nextAnswer(), signal)
      else if (state.waitedMs + leftMs > this.#options.maxWaitMs) break
      else await this.#waitForReset(leftMs + MARGIN_MS, state, signal)
    }
    this.#pacer.force()
  }

  #nextAnswer(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    return promise
  }

  async #waitForReset(waitMs: number, state: RetryState, signal: AbortSignal): Promise<void> {
    const reason = `the rate limit of ${this.#options.baseUrl.origin} is used up`
    state.waitedMs += waitMs
    this.#options.debug?.(`wait ${waitMs} ms: ${reason}`)
    if (waitMs >= NOTICEABLE_WAIT_MS) this.#options.onWait?.(waitMs, reason)
    await this.#sleep(waitMs, signal)
    if (!signal.aborted) this.#pacer.passWindow()
  }

  #signalOf(outcome: Answer | Failure): RateSignal | undefined {
    const { headers } = outcome
    const signal = headers && readRateSignal(headers, this.#options.now())
    if (!isFailure(outcome) || outcome.code !== 'rate_limited' || signal?.remaining === 0) return signal
    // A refusal says that nothing is left, whatever else it says.
    const resetInMs = outcome.retryAfterMs ?? signal?.resetInMs
    return resetInMs === undefined ? undefined : { remaining: 0, resetInMs, limit: signal?.limit }
  }
}

async function orAbort(work: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (!work || signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = () => resolve()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
