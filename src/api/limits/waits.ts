import type { IncomingHttpHeaders } from 'node:http'
import type { Failure } from '../errors/failure.ts'
import type { StatedRate } from '../operations.ts'
import type { ApiOptions } from '../options.ts'
import type { Answer } from '../transport/answer.ts'
import { NOTICEABLE_WAIT_MS, type Timing } from '../transport/timing.ts'
import { statedRate } from './rate-headers.ts'
import { RateLimiter } from './rate-limiter.ts'

const FIRST_WAIT_MS = 250

const MAX_WAIT_MS = 8000

/** For an outage without a Retry-After. */
const MAX_UNPROMPTED_RETRIES = 3

type QueueOptions = Pick<ApiOptions, 'baseUrl' | 'maxWaitMs' | 'now' | 'debug' | 'onWait' | 'ceilings'>

/** Holds requests in order until the rate limit of the server allows them. */
export class RequestQueue {
  readonly #options: QueueOptions
  readonly #sleep: Timing['sleep']
  readonly #limiter: RateLimiter
  #end: Promise<void> | undefined
  #queued = 0
  #wake: () => void = () => {}
  #last: { readonly headers: IncomingHttpHeaders; readonly atMs: number } | undefined

  constructor(options: QueueOptions, sleep: Timing['sleep']) {
    this.#options = options
    this.#sleep = sleep
    this.#limiter = new RateLimiter({ nowMs: options.now, wallMs: options.now, ceiling: options.ceilings?.main })
  }

  /**
   * Resolves when it is the turn of this request, or when the signal aborts. If the wait exceeds the maximum, the request is
   * sent without it. `rateShare` is the part of the limit that it may use.
   */
  async enter(state: RetryState, signal: AbortSignal, rateShare = 1): Promise<void> {
    if (this.#queued === 0 && this.#limiter.take({ share: rateShare, processes: 1 }) === 0) return
    const before = this.#end
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#end = promise
    this.#queued += 1
    try {
      await orAbort(before, signal)
      await this.#waitAtHead(state, signal, rateShare)
    } finally {
      this.#queued -= 1
      // A request that leaves the queue early does not let the next one overtake.
      void Promise.resolve(before).then(resolve)
    }
  }

  /** For a call that has already waited as long as the server requested. */
  enterAtOnce(): void {
    this.#limiter.force()
  }

  /** The limit in the last answer; parsed on demand, because few callers need it. */
  get rate(): StatedRate | undefined {
    return this.#last && statedRate(this.#last.headers, this.#last.atMs, this.#options.now())
  }

  /** Call after every request that entered; undefined if it has no outcome. */
  leave(outcome: Answer | Failure | undefined): void {
    if (outcome?.headers) this.#last = { headers: outcome.headers, atMs: this.#options.now() }
    this.#limiter.answered(outcome)
    this.#wake()
  }

  async #waitAtHead(state: RetryState, signal: AbortSignal, share: number): Promise<void> {
    while (!signal.aborted) {
      const leftMs = this.#limiter.take({ share, processes: 1 })
      if (leftMs === 0) return
      if (leftMs === undefined) await orAbort(this.#nextAnswer(), signal)
      else if (state.waitedMs + leftMs > this.#options.maxWaitMs) break
      else await this.#waitForReset(leftMs, state, signal)
    }
    this.#limiter.force()
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
    if (!signal.aborted) this.#limiter.passWindow()
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

export interface RetryState {
  /** Tries made so far, the first included. */
  tries: number
  /** Retries so far in an outage without a Retry-After. */
  unprompted: number
  /** Time spent on waits, and on tries that timed out. */
  waitedMs: number
}

export function newRetryState(): RetryState {
  return { tries: 0, unprompted: 0, waitedMs: 0 }
}

/** The wait before the next try; undefined for no further try. Adds the wait to `state`. */
export function takeWaitMs(
  failure: Failure,
  state: RetryState,
  limits: { maxWaitMs: number; random: () => number },
): number | undefined {
  if (failure.rule === 'never') return undefined
  // A Retry-After of 0 is ignored: repeating it would make a busy loop.
  const asked = failure.retryAfterMs ? failure.retryAfterMs : undefined
  const isUnprompted = asked === undefined && failure.rule === 'few'
  if (isUnprompted && state.unprompted >= MAX_UNPROMPTED_RETRIES) return undefined
  const waitMs = asked ?? backoffMs(state.tries, limits.random)
  if (state.waitedMs + waitMs > limits.maxWaitMs) return undefined
  state.waitedMs += waitMs
  if (isUnprompted) state.unprompted += 1
  return waitMs
}

/** Exponential with jitter, so that clients that failed together do not retry together. */
function backoffMs(tries: number, random: () => number): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS)
  return Math.round(full * (0.5 + random() / 2))
}
