import type { RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'

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
  /** Without a byte either way, for clients that do not read their answer. */
  readonly silentMs: number
  /** For the requests under way when the server closes. */
  readonly closeMs: number
}

export const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  silentMs: 120_000,
  closeMs: 10_000,
}

export function createHttpServer(listener: RequestListener, tls: Tls | undefined, timeouts: Timeouts): Server {
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    // Otherwise Node drops all but the first of several Authorization or Content-Type headers in silence.
    joinDuplicateHeaders: true,
  }
  // An ESM import of node:http costs 25 ms more: it touches getters that load Node's built-in fetch.
  const require = createRequire(import.meta.url)
  const http = require('node:http') as typeof import('node:http')
  const https = require('node:https') as typeof import('node:https')
  const server = tls ? https.createServer({ ...options, ...tls }, listener) : http.createServer(options, listener)
  server.setTimeout(timeouts.silentMs)
  return server
}
