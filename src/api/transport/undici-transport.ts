import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { ApiOptions } from '../options.ts'
import type { HttpTransport, PendingReply } from './exchange.ts'
import { ProxyError, routeTo, type WebProxy } from './proxy.ts'
import { MAX_TIMER_MS } from './timing.ts'

/** The connect timeout exceeds that of the request by this, so that the request reports the failure. */
const CONNECT_GRACE_MS = 1000

/** The transport for many requests, proxies and other authorities. */
export async function openUndiciTransport(
  options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>,
  most: number,
): Promise<HttpTransport> {
  const { dispatcher, destroy } = await openDispatcher(options, most)
  const { origin } = options.baseUrl
  return {
    send: (outgoing, reply) => void dispatcher.dispatch({ ...outgoing, origin }, new ReplyHandler(reply)),
    destroy,
  }
}

/** Connects to the origin of `baseUrl`, through a proxy if one applies. */
export async function openDispatcher(
  { baseUrl, timeoutMs, env }: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>,
  most: number,
): Promise<{ readonly dispatcher: Dispatcher; destroy(): void }> {
  const { proxy, authorityFile } = routeTo({ baseUrl, env })
  const ending = new AbortController()
  const connect = {
    allowH2: false,
    timeout: Math.min(timeoutMs + CONNECT_GRACE_MS, MAX_TIMER_MS),
    // undici does not end connection attempts, which would keep the process alive.
    signal: ending.signal,
    ...(authorityFile !== undefined && { secureContext: await trustOf(authorityFile) }),
  }
  // PendingReply limits time and size of the whole reply.
  const common = { connections: most, allowH2: false, headersTimeout: 0, bodyTimeout: 0 }
  const dispatcher = proxy
    ? new ProxyAgent({
        ...common,
        uri: proxy.url.origin,
        ...credentialsOf(proxy.url),
        proxyTls: connect,
        requestTls: connect,
        clientFactory: (origin, options) => openProxy(proxy, origin, options),
      })
    : new Pool(baseUrl.origin, { ...common, connect })
  return {
    dispatcher,
    destroy: () => {
      dispatcher.destroy()
      ending.abort()
    },
  }
}

async function trustOf(path: string) {
  const { trustFile } = await import('./authorities.ts')
  return trustFile(path)
}

/** Decodes bytes, because a password need not be UTF-8. */
function credentialsOf({ username, password }: URL): { readonly token?: string } {
  if (username === '' && password === '') return {}
  const bytes = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return { token: `Basic ${Buffer.from(bytes, 'latin1').toString('base64')}` }
}

/** A connection to the proxy, whose failures are reported as those of the proxy. */
function openProxy(proxy: WebProxy, origin: URL, options: Pool.Options): Dispatcher {
  const pool = new Pool(origin, options)
  const ask = pool.connect.bind(pool)
  const connect = async (asked: Dispatcher.ConnectOptions<null>) => {
    const fail = (what: string, cause?: unknown) => new ProxyError(proxy, `the proxy ${proxy.url.host} ${what}`, cause)
    const answer = await ask(asked).catch((error: Error & { code?: string }) => {
      throw fail(explainProxy(error), error)
    })
    const { statusCode, socket } = answer
    // Any 2xx is a tunnel (RFC 9110 section 9.3.6); to undici only 200 is.
    if (statusCode >= 200 && statusCode <= 299) return { ...answer, statusCode: 200 }
    socket.on('error', () => {}).destroy()
    throw fail(
      statusCode === 407 ? 'requires a valid user and password (407)' : `refuses the connection (${statusCode})`,
    )
  }
  return Object.assign(pool, { connect })
}

function explainProxy({ name, code, message }: Error & { readonly code?: string }): string {
  if (name === 'HTTPParserError') return 'does not speak HTTP'
  return code === 'UND_ERR_SOCKET' ? 'closed the connection' : `cannot be reached (${code ?? message})`
}

class ReplyHandler implements Dispatcher.DispatchHandler {
  readonly #reply: PendingReply

  constructor(reply: PendingReply) {
    this.#reply = reply
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot abort a request before this moment.
    if (this.#reply.isSettled) controller.abort(new Error('aborted before it was sent'))
    else {
      this.#reply.isSent = true
      this.#reply.controller = controller
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#reply.begin(status, withoutTrailingSpace(headers))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reply.add(chunk)
  }

  onResponseEnd(): void {
    this.#reply.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reply.controller = undefined
    this.#reply.fail(error)
  }
}

/** RFC 9110 section 5.5; undici keeps it. */
function withoutTrailingSpace(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') headers[name] = value.trimEnd()
    else if (value) headers[name] = value.map((each) => each.trimEnd())
  }
  return headers
}
