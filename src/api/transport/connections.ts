import type { Pool as PoolType } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { ApiOptions } from '../options.ts'
import { createDialer } from './dialer.ts'
import { MAX_ANSWER_BYTES } from './exchange.ts'

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
