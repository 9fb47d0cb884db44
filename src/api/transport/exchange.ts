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
  readonly type: 'timeout' | 'interrupted' | 'network'
  readonly isSent: boolean

  constructor(type: NoReply['type'], isSent: boolean, cause: unknown) {
    super(type, { cause })
    this.type = type
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

  #giveUp(type: 'timeout' | 'interrupted', cause: unknown): void {
    if (!this.#settle()) return
    const failure = new NoReply(type, this.#controller !== undefined, cause)
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

/** RFC 9110 sections 15.4.2 and 15.4.9: permanent. Other redirects do not mean that the address is wrong. */
const PERMANENT = [301, 308]

/** Django with DEBUG: the answer to a write instead of a redirect; the server applied nothing. */
const DJANGO_REFUSAL = 'end in a slash and you have APPEND_SLASH set'

/**
 * Learns which paths of a server end in a slash. A redirect on the same origin that only adds or removes the slash is
 * followed with the same method and body, and remembered for all records of the same kind.
 */
export class TrailingSlashes {
  readonly #base: URL
  /** By the pattern of a path. */
  readonly #known = new Map<string, boolean>()

  constructor(base: URL) {
    this.#base = base
  }

  async exchange(pool: Pool, outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply> {
    const first = { ...outgoing, path: this.#applied(outgoing.path) }
    const reply = await exchange(pool, first, limits)
    const path = this.#otherPath(first.path, reply)
    if (path === undefined) return reply
    const second = await exchange(pool, { ...first, path }, limits)
    if (second.status < 300 || second.status > 399) {
      this.#known.set(this.#patternOf(path), (path.split('?')[0] ?? '').endsWith('/'))
    }
    return this.#otherPath(path, second) === undefined ? second : { ...second, isSlashLoop: true }
  }

  #applied(path: string): string {
    const isSlashed = this.#known.get(this.#patternOf(path))
    return isSlashed === undefined ? path : withSlash(path, isSlashed)
  }

  #otherPath(path: string, { status, headers, body }: Reply): string | undefined {
    if (status === 500 && body.length < 1_000_000 && body.includes(DJANGO_REFUSAL)) return withSlash(path, true)
    if (!PERMANENT.includes(status) || headers.location === undefined) return undefined
    const target = URL.parse(headers.location, new URL(path, this.#base.origin).href)
    if (target?.origin !== this.#base.origin) return undefined
    const found = target.pathname + target.search
    return found !== path && withSlash(found, false) === withSlash(path, false) ? found : undefined
  }

  /** `/v1/contacts/*` for `/v1/contacts/con_1`: below the base path, every second segment after the first two is an id. */
  #patternOf(path: string): string {
    const prefix = this.#base.pathname.replace(/\/+$/, '')
    const [only = ''] = path.split('?')
    const steps = only.slice(only.startsWith(`${prefix}/`) ? prefix.length : 0).split('/')
    // Without the empty segments before the first slash and after the last.
    return steps
      .filter((step) => step !== '')
      .map((step, at) => (at >= 2 && at % 2 === 0 ? '*' : step))
      .join('/')
  }
}

function withSlash(path: string, isSlashed: boolean): string {
  const [only = '', query] = path.split(/\?(.*)/s)
  const bare = only.replace(/\/$/, '')
  return `${bare}${isSlashed || bare === '' ? '/' : ''}${query === undefined ? '' : `?${query}`}`
}
