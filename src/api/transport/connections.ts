import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector, Pool as PoolType } from 'undici'
import createConnector from 'undici/lib/core/connect.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { ApiOptions } from '../options.ts'
import { MAX_ANSWER_BYTES } from './exchange.ts'
import { chooseProxy, type WebProxy } from './proxy.ts'
import { MAX_TIMER_MS } from './timing.ts'

/** The connect timeout exceeds that of the request by this, so that the request reports the failure. */
const CONNECT_GRACE_MS = 1000

const MAX_CONNECTIONS = 32
/** Running requests have this long to end after close(). */
const CLOSE_DEADLINE_MS = 1000

class ClosedError extends Error {
  /** The code of undici. */
  readonly code = 'UND_ERR_CLOSED'
}

export interface Connections {
  readonly pool: PoolType
  /** Aborted when close() begins. */
  readonly closing: AbortSignal
  close(): Promise<void>
}

/** Keep-alive connections to one origin, possibly through a proxy, and to no other. */
export function openConnections(
  options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>,
  most = MAX_CONNECTIONS,
): Connections {
  const dialer = createDialer(options)
  const pool = new Pool(options.baseUrl.origin, {
    connections: most,
    allowH2: false,
    // The caller's own limit covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: dialer.dial,
  })
  let closing: Promise<void> | undefined
  const controller = new AbortController()
  const close = async () => {
    controller.abort()
    const deadline = setTimeout(() => pool.destroy(), CLOSE_DEADLINE_MS)
    dialer.giveUp(new ClosedError())
    await pool.close()
    clearTimeout(deadline)
  }
  return {
    pool,
    closing: controller.signal,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket

/** Opens connections of one client, and aborts attempts. */
interface Dialer {
  readonly dial: buildConnector.connector
  /** Aborts connection attempts: undici does not, and they would keep the process alive. */
  giveUp(error: Error): void
}

export function createDialer({
  baseUrl,
  timeoutMs,
  env = {},
}: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>): Dialer {
  const underWay = new Set<Socket>()
  const proxy = chooseProxy(baseUrl, env)
  const authorityFile = baseUrl.protocol === 'https:' ? env.SSL_CERT_FILE : undefined
  const build = (trust: buildConnector.BuildOptions) => {
    // Without HTTP/2 a bundle can leave node:http2 out, which alone costs a quarter of a bare start-up.
    const common = { allowH2: false, timeout: Math.min(timeoutMs + CONNECT_GRACE_MS, MAX_TIMER_MS) }
    // The published type says void, but the socket is returned (undici lib/core/connect.js).
    return createConnector({ ...common, ...trust }) as unknown as Connect
  }
  const dialDirectly = trackedDial(underWay, build({}))
  let prepared: Promise<buildConnector.connector> | undefined
  const prepare = async () => {
    const trust = authorityFile ? await trustOf(authorityFile) : undefined
    const connect = build(trust ? { secureContext: trust } : {})
    return proxy ? await dialThrough({ proxy, trust }, underWay, connect) : trackedDial(underWay, connect)
  }
  const dialPrepared: buildConnector.connector = (options, callback) => {
    prepared ??= prepare()
    prepared.then((dial) => dial(options, callback)).catch((error: Error) => callback(error, null))
  }
  return {
    dial: proxy || authorityFile ? dialPrepared : dialDirectly,
    giveUp: (error) => {
      for (const socket of underWay) socket.destroy(error)
    },
  }
}

function trackedDial(underWay: Set<Socket>, connect: Connect): buildConnector.connector {
  return (options, callback) => {
    const socket = connect(options, (...result) => {
      underWay.delete(socket)
      callback(...result)
    })
    underWay.add(socket)
  }
}

async function dialThrough(
  { proxy, trust }: { proxy: WebProxy; trust: SecureContext | undefined },
  underWay: Set<Socket>,
  connect: Connect,
): Promise<buildConnector.connector> {
  const { openTunnel } = await import('./tunnel.ts')
  const dialTls = trackedDial(underWay, connect)
  return (options, callback) => {
    const host = options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname
    const { socket, ready } = openTunnel(proxy, `${host}:${options.port || 443}`, trust)
    underWay.add(socket)
    ready
      .then(() => dialTls({ ...options, httpSocket: socket }, callback))
      .catch((error: Error) => callback(error, null))
      .finally(() => underWay.delete(socket))
  }
}

async function trustOf(path: string): Promise<SecureContext> {
  const { trustFile } = await import('./authorities.ts')
  return trustFile(path)
}
