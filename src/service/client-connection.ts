import type { Socket } from 'node:net'
import { endWithProblem } from './http-server.ts'
import type { Problem } from './problem.ts'
import type { ServerRequest } from './server-request.ts'

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
