import type { Limit } from '../../connector/document.ts'
import type { StatedRate } from '../operations.ts'
import type { Timing } from '../transport/timing.ts'

/** The part of a limit that this process may use. */
export interface CeilingShare {
  readonly share: number
  readonly processes: number
}

const ALL: CeilingShare = { share: 1, processes: 1 }

/** Before the next look while requests of another queue are in flight. */
export const RECHECK_MS = 50

/** When the requests ended that count against one limit, oldest first. */
class Log {
  readonly limit: Limit
  #ended: number[] = []
  #first = 0

  constructor(limit: Limit) {
    this.limit = limit
  }

  add(nowMs: number): void {
    this.#ended.push(nowMs)
  }

  /** Undefined: all that count are in flight. */
  waitMs(nowMs: number, inFlight: number, { share, processes }: CeilingShare): number | undefined {
    const { requests, perMs } = this.limit
    const most = Math.max(1, Math.floor((requests * share) / processes))
    this.#forget(nowMs)
    const over = this.#ended.length - this.#first + inFlight - most
    if (over < 0) return 0
    // The one after whose end there is room for another.
    const endedMs = this.#ended[this.#first + over]
    return endedMs === undefined ? undefined : Math.max(1, Math.min(endedMs, nowMs) + perMs - nowMs)
  }

  rate(nowMs: number, inFlight: number): StatedRate {
    const { requests, perMs } = this.limit
    this.#forget(nowMs)
    const oldestMs = this.#ended[this.#first]
    const remaining = Math.max(0, requests - inFlight - (this.#ended.length - this.#first))
    return {
      limit: requests,
      windowMs: perMs,
      remaining,
      resetInMs: oldestMs === undefined ? 0 : oldestMs + perMs - nowMs,
    }
  }

  #forget(nowMs: number): void {
    while (this.#first < this.#ended.length && nowMs - (this.#ended[this.#first] ?? 0) >= this.limit.perMs)
      this.#first += 1
    if (this.#first < 1000) return
    this.#ended = this.#ended.slice(this.#first)
    this.#first = 0
  }
}

/**
 * The limits that a connector states. A request counts from when it is sent until its time after its answer: the server has
 * seen it before, however long the way was, so that no window of the server has more.
 */
export class Ceiling {
  readonly #nowMs: () => number
  readonly #logs: readonly Log[]
  #inFlight = 0

  constructor(limits: readonly Limit[], nowMs: () => number) {
    this.#logs = limits.map((limit) => new Log(limit))
    this.#nowMs = nowMs
  }

  /** 0: a request may be sent; more: wait so many milliseconds; undefined: wait for an answer to one of those in flight. */
  waitMs(share: CeilingShare = ALL): number | undefined {
    // Node loads a module for its clock.
    if (this.#logs.length === 0) return 0
    const nowMs = this.#nowMs()
    const waits = this.#logs.map((log) => log.waitMs(nowMs, this.#inFlight, share))
    return waits.some((wait) => wait === undefined) ? undefined : Math.max(0, ...waits.map((wait) => wait ?? 0))
  }

  /** Of the limit that allows the least; undefined without one. */
  get rate(): StatedRate | undefined {
    const perMs = ({ limit }: Log) => limit.requests / limit.perMs
    const [least] = this.#logs.toSorted((one, other) => perMs(one) - perMs(other))
    return least?.rate(this.#nowMs(), this.#inFlight)
  }

  sent(): void {
    this.#inFlight += 1
  }

  /** Call once for each request that was sent, with an answer or without. */
  ended(): void {
    this.#inFlight -= 1
    for (const log of this.#logs) log.add(this.#nowMs())
  }

  /** Sends a request when it may be sent. */
  async hold<Result>(work: () => Promise<Result>, sleep: Timing['sleep'], signal: AbortSignal): Promise<Result> {
    const waitMs = () => this.waitMs() ?? RECHECK_MS
    for (let ms = waitMs(); ms > 0 && !signal.aborted; ms = waitMs()) await sleep(ms, signal)
    return this.count(work)
  }

  async count<Result>(work: () => Promise<Result>): Promise<Result> {
    this.sent()
    try {
      return await work()
    } finally {
      this.ended()
    }
  }
}

/** The ceilings of one client: that of the connector, and those of operations that have limits of their own. */
export class Ceilings {
  readonly main: Ceiling
  readonly #nowMs: () => number
  readonly #own = new Map<readonly Limit[], Ceiling>()

  constructor(limits: readonly Limit[], nowMs: () => number) {
    this.#nowMs = nowMs
    this.main = new Ceiling(limits, nowMs)
  }

  of(limits: readonly Limit[] | undefined): Ceiling {
    if (!limits) return this.main
    const known = this.#own.get(limits) ?? new Ceiling(limits, this.#nowMs)
    this.#own.set(limits, known)
    return known
  }
}
