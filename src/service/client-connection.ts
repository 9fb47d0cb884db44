import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { parse } from 'node:querystring'
import { endWithProblem } from './http-server.ts'
import { type Problem, requestId } from './problem.ts'
import { clientAddress, ownUrl, type Proxies } from './proxies.ts'
import type { AuditedAction, Route } from './route.ts'
import type { ApiKey } from './store/store.ts'

/** A request and what becomes known of it until its response is sent. */
export interface ServerRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** Repeated in the response and in the log. */
  readonly id: string
  readonly startMs: number
  /** Path and query within the service, as sent. */
  readonly url: string
  readonly path: string
  /** A list where a parameter was sent more than once. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  /** Of the response, whatever the reply is. */
  readonly headers: Record<string, string>
  /** Of the client; undefined once the connection is closed. */
  readonly address: string | undefined
  /** Undefined where nothing has the path and the method. */
  route: Route | undefined
  /** The key it was sent with, accepted or not; undefined when none is needed or the key is unknown. */
  key: ApiKey | undefined
  /** The actions of the reply; undefined when method and path describe the action. */
  actions: readonly AuditedAction[] | undefined
  /** Of the response; undefined before it. */
  status: number | undefined
  /** Of the body of the response. */
  sizeBytes: number
  /** What the system has taken of it, when not all. */
  sentBytes: number
  /** An injected reset, instead of the response. */
  reset: 'before' | 'after' | undefined
  /** Bytes in its body that are no HTTP. */
  fault: Problem | undefined
  /** Called with `fault` once that is set. */
  onFault: ((fault: Problem) => void) | undefined
}

const NO_QUERY: ServerRequest['query'] = Object.freeze({})

export function openRequest(raw: IncomingMessage, response: ServerResponse, proxies: Proxies): ServerRequest {
  const url = ownUrl(originForm(raw.url ?? '/'), proxies)
  const end = url.search(/[?#]/)
  return {
    raw,
    response,
    id: requestId(raw.headers['x-request-id']),
    startMs: performance.now(),
    url,
    path: end < 0 ? url : url.slice(0, end),
    // 0: every parameter, so that none escapes the check of their names.
    query: end < 0 ? NO_QUERY : parse(url.slice(end + 1), '&', '=', { maxKeys: 0 }),
    // Node drops the bytes that came with a request for an upgrade that is not followed: requests would be lost.
    headers: raw.headers.upgrade === undefined ? {} : { connection: 'close' },
    address: clientAddress(raw, proxies),
    route: undefined,
    key: undefined,
    actions: undefined,
    status: undefined,
    sizeBytes: 0,
    sentBytes: 0,
    reset: undefined,
    fault: undefined,
    onFault: undefined,
  }
}

/** Clients of proxies send the whole address (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '')
}

/** While more requests than this wait on a connection, its socket is not read: a client may send them for ever. */
const MAX_WAITING = 16

export interface Handling {
  /** Resolves when the response is given to the socket, or will not be. */
  readonly serve: (request: ServerRequest) => Promise<void>
  /** Called for each request that `serve` got, when its response is sent or its connection closed, and `serve` has ended. */
  readonly onEnd: (request: ServerRequest) => void
}

/**
 * The requests of one connection, of which a client may send several at once: each is handled when the response before it
 * is sent, and none when the connection is closed. So a client that does not read gets no work done, and answers stay in order,
 * also that to bytes which are no request.
 */
export class ClientConnection {
  readonly #socket: Socket
  readonly #handling: Handling
  readonly #waiting: ServerRequest[] = []
  #current: ServerRequest | undefined
  /** The last one received, whose body may still be arriving. */
  #last: ServerRequest | undefined
  #isBroken = false
  /** What ends the connection after the last response. */
  #end: (() => void) | undefined

  constructor(socket: Socket, handling: Handling) {
    this.#socket = socket
    this.#handling = handling
  }

  add(request: ServerRequest): void {
    // A response has said that it is the last one.
    if (!this.#socket.writable) return
    this.#last = request
    if (this.#current) {
      this.#waiting.push(request)
      this.#readOrPause()
    } else this.#start(request)
  }

  /** For bytes that are no HTTP, or none in time: their problem is answered in its turn, and the connection ends. */
  fail(problem: Problem): void {
    if (this.#isBroken) return
    this.#isBroken = true
    const last = this.#last
    if (last && !last.raw.complete) {
      // They are in its body.
      last.headers.connection = 'close'
      last.fault = problem
      last.onFault?.(problem)
      if (!last.response.headersSent) return
      this.#end = () => this.#socket.end()
    } else {
      this.#end = () => endWithProblem(this.#socket, problem)
    }
    if (!this.#current) this.#end()
  }

  #start(request: ServerRequest): void {
    this.#current = request
    let isHalfDone = false
    const end = (): void => {
      if (!isHalfDone) {
        isHalfDone = true
        return
      }
      this.#handling.onEnd(request)
      this.#next()
    }
    request.response.once('close', end)
    this.#handling.serve(request).then(end, end)
  }

  #next(): void {
    this.#current = undefined
    // Closed by the client, or by a response that says so.
    if (!this.#socket.writable) this.#waiting.length = 0
    const next = this.#waiting.shift()
    if (next) {
      this.#readOrPause()
      this.#start(next)
    } else this.#end?.()
  }

  #readOrPause(): void {
    if (this.#waiting.length <= MAX_WAITING) {
      if (this.#socket.isPaused()) this.#socket.resume()
      return
    }
    // Later, because Node resumes it when a request has arrived or a response is sent.
    setImmediate(() => {
      if (this.#waiting.length > MAX_WAITING) this.#socket.pause()
    })
  }
}
