import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiOptions } from '../options.ts'
import {
  ClosedError,
  type ExchangeLimits,
  type HttpTransport,
  type Outgoing,
  PendingReply,
  type Reply,
} from './exchange.ts'
import { routeTo } from './proxy.ts'

const MAX_CONNECTIONS = 32

/** undici costs as much to load as it saves in this many requests. */
const REQUESTS_BEFORE_UNDICI = 1000

/** Running requests have this long to end after close(). */
const CLOSE_DEADLINE_MS = 1000

export interface Connections {
  /** One request and its whole reply, or a NoReply. */
  exchange(outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply>
  /** So many requests will follow: if undici is worth its load, it sends all of them, since two clients would both start cold. */
  expect(requests: number): void
  /** Aborted when close() begins. */
  readonly closing: AbortSignal
  /** Gives up requests that were not sent, and resolves when those that were have ended. */
  close(): Promise<void>
}

/**
 * Connections to one origin. Requests go over node:http, which loads in a third of the time, until so many were sent or are
 * expected that undici, which takes half as long for each, is worth its load: then over undici, like all through a proxy and to a
 * server of other authorities.
 */
export function openConnections(
  options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env' | 'requestsBeforeUndici'>,
  most = MAX_CONNECTIONS,
): Connections {
  const { proxy, authorityFile } = routeTo(options)
  const first = openNodeTransport(options, most)
  const running = new Set<PendingReply>()
  const controller = new AbortController()
  const closing = controller.signal
  const before = options.requestsBeforeUndici ?? REQUESTS_BEFORE_UNDICI
  let left = proxy || authorityFile ? 0 : before
  let later: HttpTransport | undefined
  let opening: Promise<HttpTransport> | undefined
  let ending: Promise<void> | undefined

  async function open(): Promise<HttpTransport> {
    const { openUndiciTransport } = await import('./undici-transport.ts')
    later = await openUndiciTransport(options, most)
    return later
  }

  async function sendLater(outgoing: Outgoing, reply: PendingReply): Promise<void> {
    opening ??= open()
    const { send } = await opening
    if (!reply.isSettled) send(outgoing, reply)
  }

  function send(outgoing: Outgoing, reply: PendingReply): void {
    left -= 1
    if (left >= 0) first.send(outgoing, reply)
    else if (later) later.send(outgoing, reply)
    else sendLater(outgoing, reply).catch((error: unknown) => reply.fail(error))
  }

  function failAll(isWanted: (reply: PendingReply) => boolean): void {
    for (const reply of running) if (isWanted(reply)) reply.fail(new ClosedError())
  }

  async function close(): Promise<void> {
    controller.abort()
    failAll(({ isSent }) => !isSent)
    const deadline = setTimeout(() => failAll(() => true), CLOSE_DEADLINE_MS)
    await Promise.allSettled([...running].map(({ promise }) => promise))
    clearTimeout(deadline)
    first.destroy()
    later?.destroy()
  }

  return {
    exchange: (outgoing, limits) => {
      const reply = new PendingReply(limits)
      if (closing.aborted) reply.fail(new ClosedError())
      if (reply.isSettled) return reply.promise
      running.add(reply)
      send(outgoing, reply)
      return reply.promise.finally(() => running.delete(reply))
    },
    expect: (requests) => {
      if (requests >= before) left = 0
    },
    closing,
    close: () => {
      ending ??= close()
      return ending
    },
  }
}

/** Those of undici. */
const MAX_HEADER_BYTES = 16 * 1024
const ANY_NUMBER_OF_HEADERS = 0
const KEPT_MS = 4000
const KEPT_LESS_THAN_STATED_MS = 2000

const WITH_BODY = ['POST', 'PUT', 'PATCH']

/** The transport for a few requests: it loads in a third of the time of undici, and is half as fast. */
function openNodeTransport({ baseUrl }: Pick<ApiOptions, 'baseUrl'>, most: number): HttpTransport {
  const isTls = baseUrl.protocol === 'https:'
  const connected = new WeakSet<Socket>()
  const place = { hostname: baseUrl.hostname.replace(/^\[|\]$/g, ''), port: baseUrl.port || undefined }
  let opening: ReturnType<typeof open> | undefined

  async function open() {
    const http = isTls ? await import('node:https') : { Agent, request }
    const agent: Agent = new http.Agent({
      keepAlive: true,
      maxSockets: most,
      timeout: KEPT_MS,
      agentKeepAliveTimeoutBuffer: KEPT_LESS_THAN_STATED_MS,
    })
    return { agent, request: http.request }
  }

  async function send({ method, path, headers, body }: Outgoing, reply: PendingReply): Promise<void> {
    opening ??= open()
    const { agent, request } = await opening
    if (Object.keys(agent.freeSockets).length > 0) await seeWhatArrived()
    if (reply.isSettled) return
    const all = ['Host', baseUrl.host, ...headers]
    if (body || WITH_BODY.includes(method)) all.push('Content-Length', String(body?.length ?? 0))
    // A server may send a body to HEAD, which would be taken for the next answer.
    if (method === 'HEAD') all.push('Connection', 'close')
    const sent = request({ ...place, agent, method, path, headers: all, maxHeaderSize: MAX_HEADER_BYTES })
    sent.maxHeadersCount = ANY_NUMBER_OF_HEADERS
    reply.controller = { abort: (reason) => void sent.destroy(reason) }
    receiveReply(sent, reply)
    sent.on('socket', (socket) => {
      if (connected.has(socket)) reply.isSent = true
      else {
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          connected.add(socket)
          reply.isSent = true
        })
      }
    })
    sent.end(body)
  }

  return {
    send: (outgoing, reply) => void send(outgoing, reply).catch((error: unknown) => reply.fail(error)),
    destroy: () => void opening?.then(({ agent }) => agent.destroy()),
  }
}

/** Such as the end of an idle connection, which is then not used again. The rest of this turn may be without a poll. */
async function seeWhatArrived(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/** A connection that ends without any other error, as after 101. */
class EndError extends Error {
  readonly code = 'ECONNRESET'
}

/** Hands what arrives for a request to its PendingReply. */
function receiveReply(sent: ClientRequest, reply: PendingReply): void {
  let received: IncomingMessage | undefined
  sent.on('response', (response) => {
    received = response
    reply.begin(response.statusCode ?? 0, headersOf(response.rawHeaders))
    response.on('data', (chunk: Buffer) => reply.add(chunk))
    response.on('end', () => reply.end())
    response.on('error', (error) => reply.fail(error))
  })
  // A whole reply is not lost to what follows it on the connection.
  sent.on('error', (error) => {
    if (!received?.complete) reply.fail(error)
  })
  sent.on('close', () => {
    if (!received?.complete) reply.fail(new EndError())
  })
  sent.on('continue', () => reply.begin(100, {}))
}

/** As undici gives them: a list where a name is repeated. */
function headersOf(raw: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    const key = name.toLowerCase()
    const known = headers[key]
    headers[key] = known === undefined ? value : [known, value].flat()
  }
  return headers
}
