import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer, Received } from '../core/webhook-events.ts'
import { answerClientFault, clientFault, createReceiverServer, listen, TIMEOUTS, type Timeouts } from './http-server.ts'
import { describeRejected, pathOf, receive, type Trust } from './receive.ts'
import { Rejection } from './rejection.ts'

export interface ReceiverOptions {
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
  /** Starts with a slash. */
  readonly path: string
  readonly now: () => number
  /**
   * The sender is answered when this resolves, and waits until then: with what it resolves to, else with 204. What was
   * rejected is answered as that, whatever this says.
   */
  take(received: Received): Promise<Answer | undefined>
  readonly timeouts?: Timeouts
}

export interface Receiver {
  /** The path included. */
  readonly url: string
  /** Rejects with what `take` threw, or what took the port away. Never resolves. */
  readonly failed: Promise<never>
  /** Until now requests wait: the secret may depend on the port. */
  open(trust: Trust): void
  /** Takes no more connections, and resolves when requests under way were answered or `closeMs` have passed. */
  close(): Promise<void>
}

/** A receiver of webhooks on a socket. Throws a CrmError `machine` when the socket cannot be had. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { path, now, take, timeouts = TIMEOUTS } = options
  const trusted = Promise.withResolvers<Trust>()
  const failure = Promise.withResolvers<never>()
  // The caller that awaits it gets the error; without one the process must not end because of it.
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
    // A request under way tells of its end itself, and an answer here would pass for its own.
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

/** The handshake of CloudEvents webhooks 1.0, section 4: who is asked whether it wants events says yes. */
function answerOptions(request: IncomingMessage, response: ServerResponse): void {
  const origin = request.headers['webhook-request-origin']
  const allowed = origin === undefined ? {} : { 'WebHook-Allowed-Origin': origin, 'WebHook-Allowed-Rate': '*' }
  response.writeHead(204, { Allow: 'POST, OPTIONS', ...allowed }).end()
}

function answerRejection(rejection: Rejection, request: IncomingMessage, response: ServerResponse): void {
  const { status, reason } = rejection
  // What was not read to its end would be taken for the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
  if (status === 405) response.setHeader('Allow', 'POST, OPTIONS')
  response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${reason}\n`)
}
