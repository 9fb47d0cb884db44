import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { createServer as createHttps, Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { CrmError } from '../core/errors.ts'
import type { Log } from './log.ts'
import { PROBLEM_TYPE, Problem, type ProblemStatus, problemText, requestId } from './problem.ts'

/** As in nginx (`lingering_time`, `lingering_timeout`): in total, and without a byte from the client. */
const LINGER_MS = 30_000

const SILENT_MS = 5000

/** More than is sent by mistake, such as a whole export; discarding costs no memory. */
const MAX_DROPPED_BYTES = 256 * 1024 * 1024

const FAULTS: Readonly<Record<string, [ProblemStatus, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'the headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'body_too_large', 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'the request did not arrive in time'],
}

export interface Tls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface Timeouts {
  /** From the first byte of a request, or the connection, to the end of its headers. */
  readonly headersMs: number
  /** To the end of its body. */
  readonly requestMs: number
  /** Between two requests on one connection. */
  readonly idleMs: number
  /** Without traffic in either direction, for clients that do not read their response. */
  readonly silentMs: number
  /** For requests in progress when the server closes. */
  readonly closeMs: number
}

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  silentMs: 120_000,
  closeMs: 10_000,
}

/** A certificate with what uses it, or neither: TLS takes four tenths of the time in which Node starts. */
export type Secure = { readonly tls: Tls; readonly createHttps: typeof createHttps } | undefined

export async function secureWith(tls: Tls | undefined): Promise<Secure> {
  return tls && { tls, createHttps: (await import('node:https')).createServer }
}

export function createHttpServer(listener: RequestListener, secure: Secure, timeouts: Timeouts): Server {
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    // Otherwise Node silently drops all but the first of several Authorization or Content-Type headers.
    joinDuplicateHeaders: true,
    // Answered with a problem like others: see requireKnownHttp.
    requireHostHeader: false,
  }
  const server = secure
    ? withTls(() => secure.createHttps({ ...options, ...secure.tls }, listener))
    : createHttp(options, listener)
  server.setTimeout(timeouts.silentMs)
  // Node would answer before the requests in front of it.
  server.on('checkExpectation', listener)
  return server
}

/** For the connections that follow. CrmError `invalid_input` for a certificate or key that cannot be used. */
export function useTls(server: Server, tls: Tls): void {
  if (isHttps(server)) withTls(() => server.setSecureContext(tls))
}

function isHttps(server: Server): server is HttpsServer {
  return 'setSecureContext' in server
}

/** Each costs some 10 KB. */
export const MAX_CONNECTIONS = 10_000

/** Messages for unclear errors of OpenSSL. */
const TLS_FAULTS: Readonly<Record<string, string>> = {
  ERR_OSSL_PEM_NO_START_LINE: 'the certificate is not in PEM format',
  ERR_OSSL_UNSUPPORTED: 'the key is not a private key in PEM',
  ERR_OSSL_BAD_DECRYPT: 'the key has a passphrase',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key does not belong to the certificate',
}

function withTls<Result>(use: () => Result): Result {
  try {
    return use()
  } catch (cause) {
    const { code = '', reason } = cause as { code?: string; reason?: string }
    if (!/^ERR_(OSSL|SSL)_/.test(code)) throw cause
    throw new CrmError(
      'invalid_input',
      `cannot use the TLS certificate or key: ${TLS_FAULTS[code] ?? reason ?? code}`,
      {
        hint: 'expected a certificate and its private key in PEM, without a passphrase',
        cause,
      },
    )
  }
}

/** Between two lines of the log about it. */
const DROPS_NOTED_MS = 10_000

/** Node closes new connections beyond so many at once. */
export function limitConnections(server: Server, maxConnections: number, log: Log | undefined): void {
  server.maxConnections = maxConnections
  let notedMs = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - notedMs < DROPS_NOTED_MS) return
    notedMs = performance.now()
    log?.({ level: 'warn', event: 'note', message: `${maxConnections} connections are open, and new ones are closed` })
  })
}

/** What is answered to bytes that form no request, or none in time. */
export function problemOfBytes({ code = '' }: NodeJS.ErrnoException): Problem {
  const [status, name, detail] = FAULTS[code] ?? [400, 'malformed_request', 'not an HTTP/1.1 request']
  return new Problem(status, name, detail)
}

/** Without a response of Node: nothing was parsed that it would belong to. */
export function endWithProblem(socket: Socket, problem: Problem): void {
  if (!socket.writable) return
  const id = requestId(undefined)
  const text = problemText(problem, undefined, id)
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Connection: close',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${id}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.setTimeout(SILENT_MS)
}

/**
 * Closes the connection in stages (RFC 9112 section 9.6) when the response is sent before the end of the request. Closing a
 * socket with unread bytes resets the connection, and the client would lose the response.
 */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request
  let droppedBytes = 0
  request.on('data', (chunk: Buffer) => {
    droppedBytes += chunk.length
    if (droppedBytes > MAX_DROPPED_BYTES) socket.destroy()
  })
  // Node calls this after the response is written; the original would not read the rest of the request.
  socket.destroySoon = () => {
    socket.end()
    if (request.complete) return void socket.destroy()
    socket.setTimeout(SILENT_MS)
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
    request.once('end', () => socket.destroy())
  }
}
