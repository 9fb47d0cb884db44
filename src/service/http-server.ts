import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { CrmError } from '../core/errors.ts'

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

export function createHttpServer(listener: RequestListener, tls: Tls | undefined, timeouts: Timeouts): Server {
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    // Otherwise Node silently drops all but the first of several Authorization or Content-Type headers.
    joinDuplicateHeaders: true,
  }
  const server = tls ? withTls(() => createHttps({ ...options, ...tls }, listener)) : createHttp(options, listener)
  server.setTimeout(timeouts.silentMs)
  return server
}

/** Messages for unclear errors of OpenSSL. */
const TLS_FAULTS: Readonly<Record<string, string>> = {
  ERR_OSSL_PEM_NO_START_LINE: 'the certificate is not in PEM format',
  ERR_OSSL_UNSUPPORTED: 'the key is not a private key in PEM',
  ERR_OSSL_BAD_DECRYPT: 'the key has a passphrase',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key does not belong to the certificate',
}

function withTls(create: () => Server): Server {
  try {
    return create()
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
