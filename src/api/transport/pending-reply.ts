import type { IncomingHttpHeaders } from 'node:http'
import { type ExchangeLimits, MAX_ANSWER_BYTES, NoReply, type Reply } from './exchange.ts'
import { MAX_TIMER_MS } from './timing.ts'

class TooLargeError extends Error {
  /** The code of undici. */
  readonly code = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
}

export class ClosedError extends Error {
  /** The code of undici. */
  readonly code = 'UND_ERR_CLOSED'
}

/** A 100 or 101 that no request of crm asks for. RFC 9110 section 15.2 lets a client pass over a 100; undici does not. */
class UnaskedError extends Error {
  /** The code of undici. */
  readonly code = 'UND_ERR_SOCKET'
}

/** A reply that is waited for until it is whole, the time is up, the signal aborts or the connection fails. */
export class PendingReply {
  readonly promise: Promise<Reply>
  /** Whether the server may have seen the request. */
  isSent = false
  /** Frees the connection of a request that is given up; undefined until it has one. A function of its own costs a quarter of a request. */
  controller: { abort(reason: Error): void } | undefined
  readonly #resolve: (reply: Reply) => void
  readonly #reject: (reason: NoReply) => void
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #onAbort = () => this.#giveUp('interrupted', this.#signal.reason)
  readonly #chunks: Buffer[] = []
  #sizeBytes = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #isSettled = false

  constructor({ signal, timeoutMs }: ExchangeLimits) {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    this.promise = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = signal
    this.#timer = setTimeout(() => this.#giveUp('timeout', undefined), Math.min(timeoutMs, MAX_TIMER_MS))
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort)
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Heads before the last one are passed over. */
  begin(status: number, headers: IncomingHttpHeaders): void {
    if (status === 100 || status === 101) this.fail(new UnaskedError())
    this.#status = status
    this.#headers = headers
  }

  add(chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > MAX_ANSWER_BYTES) this.#giveUp('network', new TooLargeError())
    else this.#chunks.push(chunk)
  }

  end(): void {
    if (!this.#settle()) return
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const body = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, body })
  }

  /** The connection failed, or is given up. */
  fail(error: unknown): void {
    this.#giveUp('network', error)
  }

  #giveUp(type: NoReply['type'], cause: unknown): void {
    if (!this.#settle()) return
    const failure = new NoReply(type, this.isSent, cause)
    this.#reject(failure)
    this.controller?.abort(failure)
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#onAbort)
    return true
  }
}
