import type { IncomingHttpHeaders } from 'node:http'
import type { Method } from './call.ts'
import { MAX_TIMER_MS } from './timing.ts'

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Replaces a truncated body. Not in decode.ts, which is loaded on first use. */
export const CUT = 'the compressed answer is truncated'

export interface Outgoing {
  readonly method: Method
  readonly path: string
  /** Alternating names and values, without Host and those of the connection and the length. */
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
  readonly type: 'timeout' | 'interrupted' | 'network'
  readonly isSent: boolean

  constructor(type: NoReply['type'], isSent: boolean, cause: unknown) {
    super(type, { cause })
    this.type = type
    this.isSent = isSent
  }
}

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

/** Requests to one origin over connections that are kept, and to no other. */
export interface HttpTransport {
  send(outgoing: Outgoing, reply: PendingReply): void
  /** Ends all connections, also those that are not established. */
  destroy(): void
}
