import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer, Received } from '../core/webhook-events.ts'
import { answerClientFault, clientFault, createReceiverServer, listen, TIMEOUTS, type Timeouts } from './http-server.ts'
import { describeRejected, pathOf, receive, type Trust } from './receive.ts'
import { Rejection } from './rejection.ts'

export interface ReceiverOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Starts with a slash. */
  readonly path: string
  readonly now: () => number
  /**
   * The sender is answered when this resolves, with its result or with 204. A rejected request gets the answer of its
   * rejection.
   */
  take(received: Received): Promise<Answer | undefined>
  readonly timeouts?: Timeouts
}

export interface Receiver {
  /** With the path. */
  readonly url: string
  /** Rejects with the error of `take` or of the socket. Never resolves. */
  readonly failed: Promise<never>
  /** Requests wait until this call, as the secret may depend on the port. */
  open(trust: Trust): void
  /** Stops accepting connections. Resolves when requests in progress are answered or after `closeMs`. */
  close(): Promise<void>
}

/** Starts a receiver of webhooks. Throws a CrmError `machine` when the port is not available. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { path, now, take, timeouts = TIMEOUTS } = options
  const trusted = Promise.withResolvers<Trust>()
  const failure = Promise.withResolvers<never>()
  // Prevents an unhandled rejection; callers that await it still get the error.
  failure.promise.catch(() => {})
  const busySockets = new WeakSet<Duplex>()

  let origin = ''
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const trust = await trusted.promise
    if (request.method === 'OPTIONS' && pathOf(request) === path) return answerOptions(request, response)
    try {
      const event = await receive(request, { origin, path, bodyMs: timeouts.bodyMs, trust, now })
      answerEvent(await take(event), response)
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      await take(describeRejected(error, request, now()))
      answerRejection(error, request, response)
    }
  }

  const server = createReceiverServer((request, response) => {
    busySockets.add(request.socket)
    response.once('finish', () => busySockets.delete(request.socket))
    handle(request, response).catch((error: unknown) => {
      failure.reject(error)
      response.destroy()
    })
  }, timeouts)
  server.on('clientError', (error, socket) => {
    const fault = clientFault(error, socket)
    // A request in progress reports its own end; an answer here would be read as its response.
    if (!fault || busySockets.has(socket)) return void socket.destroy()
    take(describeRejected(fault, undefined, now())).catch(failure.reject)
    answerClientFault(fault, socket)
  })
  origin = await listen(server, options.host, options.port)
  server.on('error', failure.reject)
  let closing: Promise<void> | undefined
  return {
    url: `${origin}${path}`,
    failed: failure.promise,
    open: trusted.resolve,
    close() {
      closing ??= closeServer(server, timeouts.closeMs)
      return closing
    },
  }
}

async function closeServer(server: Server, closeMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const timer = setTimeout(() => server.closeAllConnections(), closeMs)
  await closed.finally(() => clearTimeout(timer))
}

function answerEvent(answer: Answer | undefined, response: ServerResponse): void {
  if (!answer) return void response.writeHead(204).end()
  const { status, retryAfter } = answer
  response
    .writeHead(status, { 'Content-Length': 0, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }) })
    .end()
}

/** The handshake of CloudEvents webhooks 1.0, section 4: every origin is accepted. */
function answerOptions(request: IncomingMessage, response: ServerResponse): void {
  const origin = request.headers['webhook-request-origin']
  const allowed = origin === undefined ? {} : { 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': '*' }
  response.writeHead(204, { Allow: 'POST, OPTIONS', ...allowed }).end()
}

function answerRejection(rejection: Rejection, request: IncomingMessage, response: ServerResponse): void {
  const { status, reason } = rejection
  // Unread bytes of the body would be parsed as the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
  if (status === 405) response.setHeader('Allow', 'POST, OPTIONS')
  response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${reason}\n`)
}
