import type { Socket } from 'node:net'
import type { buildConnector, Pool as PoolType } from 'undici'
import createConnector from 'undici/lib/core/connect.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { MAX_TIMER_MS } from './timing.ts'

const MAX_CONNECTIONS = 32
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** What is still running when close() is called gets this long to end. */
const CLOSE_DEADLINE_MS = 1000
/** A connection outlives the limit of its request by this, so that it is the request which says what went wrong. */
const CONNECT_GRACE_MS = 1000

class ClosedError extends Error {
  /** As undici has it. */
  readonly code = 'UND_ERR_CLOSED'
}

export interface Connections {
  readonly pool: PoolType
  /** Aborted when close() begins. */
  readonly closing: AbortSignal
  close(): Promise<void>
}

/** Keep-alive connections to one origin; nothing else is ever connected to. */
export function openConnections(origin: string, timeoutMs: number): Connections {
  const connecting = new Set<Socket>()
  // Without HTTP/2 a bundle can leave node:http2 out, which alone costs a quarter of a bare start-up.
  const connect = createConnector({ allowH2: false, timeout: Math.min(timeoutMs + CONNECT_GRACE_MS, MAX_TIMER_MS) })
  const pool = new Pool(origin, {
    connections: MAX_CONNECTIONS,
    allowH2: false,
    // The caller's own limit covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: (options, callback) => trackConnecting(connecting, connect, options, callback),
  })
  let closing: Promise<void> | undefined
  const controller = new AbortController()
  const close = async () => {
    controller.abort()
    const deadline = setTimeout(() => pool.destroy(), CLOSE_DEADLINE_MS)
    // undici does not end a connection attempt that it has begun, and that would keep the process alive.
    for (const socket of connecting) socket.destroy(new ClosedError())
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

function trackConnecting(
  connecting: Set<Socket>,
  connect: buildConnector.connector,
  options: buildConnector.Options,
  callback: buildConnector.Callback,
): void {
  // The published type says void, but the socket is returned (undici lib/core/connect.js).
  const socket = connect(options, (...result) => {
    connecting.delete(socket)
    callback(...result)
  }) as unknown as Socket
  connecting.add(socket)
}
