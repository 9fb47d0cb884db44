import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import createConnector from 'undici/lib/core/connect.js'
import type { ApiOptions } from '../options.ts'
import type { WebProxy } from './proxy.ts'
import { routeTo } from './route.ts'
import { MAX_TIMER_MS } from './timing.ts'

/** The connect timeout exceeds that of the request by this, so that the request reports the failure. */
const CONNECT_GRACE_MS = 1000

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket

/** Opens connections of one client, and aborts attempts. */
interface Dialer {
  readonly dial: buildConnector.connector
  /** Aborts connection attempts: undici does not, and they would keep the process alive. */
  giveUp(error: Error): void
}

export function createDialer(options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env'>): Dialer {
  const underWay = new Set<Socket>()
  const { proxy, authorityFile } = routeTo(options)
  const build = (trust: buildConnector.BuildOptions) => {
    // Without HTTP/2 a bundle can leave node:http2 out, which alone costs a quarter of a bare start-up.
    const common = { allowH2: false, timeout: Math.min(options.timeoutMs + CONNECT_GRACE_MS, MAX_TIMER_MS) }
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
