import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CrmError } from '../core/errors.ts'
import type { RejectionReason } from '../core/webhook-events.ts'
import { Rejection } from './rejection.ts'

export interface Timeouts {
  /** From the connection, or the first byte of a request, to the end of its headers. */
  readonly headersMs: number
  readonly bodyMs: number
  /** Between two requests on one connection. */
  readonly idleMs: number
  /** For requests in progress when the receiver closes. */
  readonly closeMs: number
}

export const TIMEOUTS: Timeouts = { headersMs: 10_000, bodyMs: 15_000, idleMs: 30_000, closeMs: 2000 }

/** Each may hold a 1 MiB body in memory while the reader of stdout is slow. */
const MAX_CONNECTIONS = 128

export function createReceiverServer(listener: RequestListener, timeouts: Timeouts): Server {
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
export async function listen(server: Server, host: string, port: number): Promise<string> {
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
export function clientFault(error: NodeJS.ErrnoException, socket: Duplex): Rejection | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) return undefined
  const [reason, detail] = FAULTS[error.code ?? ''] ?? ['malformed_request', 'not an HTTP/1.1 request']
  return new Rejection(reason, detail)
}

export function answerClientFault({ status, reason }: Rejection, socket: Duplex): void {
  const head = [`HTTP/1.1 ${status} Rejected`, 'Connection: close', 'Content-Type: text/plain']
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${reason.length + 1}\r\n\r\n${reason}\n`)
}

const LISTEN_FAULTS: Readonly<Record<string, [string, string]>> = {
  EADDRINUSE: ['the port is in use', 'the same command with another one: --port OTHER'],
  EACCES: ['no permission for this port', 'the same command with one above 1023: --port 4300'],
  EADDRNOTAVAIL: ['this machine has no such address', 'the same command with one that it has: --host 127.0.0.1'],
  ENOTFOUND: ['no such host', 'the same command with one that is known: --host 127.0.0.1'],
}

function listenError(host: string, port: number, error: unknown): unknown {
  const [reason, advice] = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? []
  if (reason === undefined || advice === undefined) return error
  // Never the port that is in use.
  const hint = advice.replace('OTHER', String(port < 65_535 ? port + 1 : 4242))
  return new CrmError('machine', `cannot listen on ${host}:${port}: ${reason}`, { hint, cause: error })
}
