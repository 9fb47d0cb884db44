import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CrmError } from '../core/errors.ts'
import type { DeliveryResponse, Received, RejectionReason } from '../core/webhook-events.ts'
import { describeRejected, MAX_BODY_BYTES, pathOf, receive, type Trust } from './receive.ts'
import { Rejection } from './rejection.ts'

export const RECEIVER_TIMEOUTS: ReceiverTimeouts = { headersMs: 10_000, bodyMs: 15_000, idleMs: 30_000, closeMs: 2000 }

/** Each may hold a body in memory while the reader of stdout is slow. */
const MAX_CONNECTIONS = 128

export interface ReceiverOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Starts with a slash. */
  readonly path: string
  readonly now: () => number
  /** Undefined: MAX_BODY_BYTES. */
  readonly maxBodyBytes?: number | undefined
  /**
   * The sender is answered when this resolves, with its result or with 204. A rejected request gets the answer of its
   * rejection.
   */
  take(received: Received): Promise<DeliveryResponse | undefined>
  readonly timeouts?: ReceiverTimeouts
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
  const { path, now, take, timeouts = RECEIVER_TIMEOUTS, maxBodyBytes = MAX_BODY_BYTES } = options
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
      const event = await receive(request, { origin, path, bodyMs: timeouts.bodyMs, maxBodyBytes, trust, now })
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

function answerEvent(answer: DeliveryResponse | undefined, response: ServerResponse): void {
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

interface ReceiverTimeouts {
  /** From the connection, or the first byte of a request, to the end of its headers. */
  readonly headersMs: number
  readonly bodyMs: number
  /** Between two requests on one connection. */
  readonly idleMs: number
  /** For requests in progress when the receiver closes. */
  readonly closeMs: number
}

function createReceiverServer(listener: RequestListener, timeouts: ReceiverTimeouts): Server {
  const { headersMs, idleMs } = timeouts
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(1000, headersMs),
  }
  const server = createServer(options, listener)
  server.maxConnections = MAX_CONNECTIONS
  return server
}

/** Returns the origin. Throws a CrmError `machine` when the port is not available. */
async function listen(server: Server, host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (error: unknown): void => reject(listenError(host, port, error))
  server.once('error', fail)
  server.listen({ host, port }, resolve)
  await promise.finally(() => server.off('error', fail))
  const address = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

const FAULTS: Readonly<Record<string, [RejectionReason, string]>> = {
  HPE_HEADER_OVERFLOW: ['malformed_request', 'the headers are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['too_slow', 'the request did not arrive in time'],
}

/** The fault in bytes that did not form a request; undefined when the sender disconnected. */
function clientFault(error: NodeJS.ErrnoException, socket: Duplex): Rejection | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) return undefined
  const [reason, detail] = FAULTS[error.code ?? ''] ?? ['malformed_request', 'not an HTTP/1.1 request']
  return new Rejection(reason, detail)
}

function answerClientFault({ status, reason }: Rejection, socket: Duplex): void {
  const head = [`HTTP/1.1 ${status} Rejected`, 'Connection: close', 'Content-Type: text/plain']
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${reason.length + 1}\r\n\r\n${reason}\n`)
}

const LOOPBACK = { flag: '--host', value: '127.0.0.1' }

/** Why an address cannot be listened on, and the flag with which it can. */
const LISTEN_FAULTS: Readonly<
  Record<string, { readonly reason: string; readonly repeat: { readonly flag: string; readonly value?: string } }>
> = {
  EADDRINUSE: { reason: 'the port is in use', repeat: { flag: '--port' } },
  EACCES: { reason: 'no permission for this port', repeat: { flag: '--port', value: '4300' } },
  EADDRNOTAVAIL: { reason: 'this machine has no such address', repeat: LOOPBACK },
  ENOTFOUND: { reason: 'no such host', repeat: LOOPBACK },
}

function listenError(host: string, port: number, error: unknown): unknown {
  const fault = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
  if (fault === undefined) return error
  // Never the port that is in use.
  const { flag, value = String(port < 65_535 ? port + 1 : 4242) } = fault.repeat
  const hint = `crm listen ${flag} ${value}`
  const details = { hint, repeat: { flag, value }, cause: error }
  return new CrmError('machine', `cannot listen on ${host}:${port}: ${fault.reason}`, details)
}
