import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'
import type { Method } from './call.ts'
import { MAX_TIMER_MS } from './timing.ts'

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Replaces a truncated body. Not in decode.ts, which is loaded on first use. */
export const CUT = 'the compressed answer is truncated'

export interface Outgoing {
  readonly method: Method
  readonly path: string
  /** Alternating names and values, the fastest form for undici. */
  readonly headers: string[]
  readonly body: Buffer | null
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** A redirect back to the path without the trailing slash, or with it, after one the other way was followed. */
  readonly isSlashLoop?: true
}

export interface ExchangeLimits {
  /** For connect, headers and body together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The reason why there is no reply. `isSent`: the server may have seen the request. */
export class NoReply extends Error {
  override readonly name = 'NoReply'
  readonly kind: 'timeout' | 'interrupted' | 'network'
  readonly isSent: boolean

  constructor(kind: NoReply['kind'], isSent: boolean, cause: unknown) {
    super(kind, { cause })
    this.kind = kind
    this.isSent = isSent
  }
}

/** One request and its whole reply, or a NoReply. */
export function exchange(pool: Pool, outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply> {
  return new Promise((resolve, reject) => {
    if (limits.signal.aborted) return reject(new NoReply('interrupted', false, limits.signal.reason))
    pool.dispatch(outgoing, new ReplyCollector(limits, resolve, reject))
  })
}

class ReplyCollector implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal
  readonly #resolve: (reply: Reply) => void
  readonly #reject: (reason: NoReply) => void
  readonly #timer: NodeJS.Timeout
  readonly #onAbort = () => this.#giveUp('interrupted', this.#signal.reason)
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #isSettled = false

  constructor(limits: ExchangeLimits, resolve: (reply: Reply) => void, reject: (reason: NoReply) => void) {
    this.#signal = limits.signal
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = setTimeout(() => this.#giveUp('timeout', undefined), Math.min(limits.timeoutMs, MAX_TIMER_MS))
    limits.signal.addEventListener('abort', this.#onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot abort a request before this moment.
    if (this.#isSettled) controller.abort(new Error('aborted before it was sent'))
    else this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const body = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settle()) this.#reject(new NoReply('network', this.#controller !== undefined, error))
  }

  #giveUp(kind: 'timeout' | 'interrupted', cause: unknown): void {
    if (!this.#settle()) return
    const failure = new NoReply(kind, this.#controller !== undefined, cause)
    this.#reject(failure)
    this.#controller?.abort(failure)
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#onAbort)
    return true
  }
}
