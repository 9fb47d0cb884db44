import type { IncomingHttpHeaders } from 'node:http'

/** The clocks of this machine: the wall clock may be set, the steady clock stops while a laptop sleeps. */
export interface LocalClocks {
  readonly wallMs: () => number
  readonly steadyMs: () => number
}

/** The server's time, from the Date header of its responses (RFC 9110 section 6.6.1), which has a precision of seconds. */
export class ServerClock {
  readonly #local: LocalClocks
  #serverMs: number
  #wallMs: number
  #steadyMs: number

  /** Until the first response, the server's time is assumed to equal ours. */
  constructor(local: LocalClocks) {
    this.#local = local
    this.#wallMs = local.wallMs()
    this.#steadyMs = local.steadyMs()
    this.#serverMs = this.#wallMs
  }

  learn(headers: IncomingHttpHeaders | undefined): void {
    const secondMs = Date.parse(headers?.date ?? '')
    if (Number.isNaN(secondMs)) return
    const estimateMs = this.nowMs()
    // Within the second that it states, the estimate is the better one.
    this.#serverMs = estimateMs >= secondMs && estimateMs < secondMs + 1000 ? estimateMs : secondMs
    this.#wallMs = this.#local.wallMs()
    this.#steadyMs = this.#local.steadyMs()
  }

  /** Never later than the true time, so leases seem older and their windows shorter. */
  nowMs(): number {
    return Math.floor(this.#serverMs + this.#local.steadyMs() - this.#steadyMs)
  }

  /** Never earlier than the true time, unless the wall clock was set back while the machine slept. */
  latestMs(): number {
    return Math.max(this.nowMs(), this.#serverMs + this.#local.wallMs() - this.#wallMs) + 1000
  }
}
