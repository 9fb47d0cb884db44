import type { ApiOptions } from '../options.ts'
import { type ExchangeLimits, type HttpTransport, NoReply, type Outgoing, type Reply } from './exchange.ts'
import { openNodeTransport } from './node-transport.ts'
import { ClosedError } from './pending-reply.ts'
import { routeTo } from './route.ts'

const MAX_CONNECTIONS = 32

/** undici costs as much to load as it saves in this many requests. */
const REQUESTS_BEFORE_UNDICI = 500

/** Running requests have this long to end after close(). */
const CLOSE_DEADLINE_MS = 1000

export interface Connections extends Pick<HttpTransport, 'exchange' | 'close'> {
  /** So many requests will follow: if undici is worth its load, it sends all of them, since two clients would both start cold. */
  expect(requests: number): void
  /** Aborted when close() begins. */
  readonly closing: AbortSignal
}

/**
 * Connections to one origin. The first requests go over node:http, which loads in a third of the time; the others, and all
 * through a proxy or to a server of other authorities, over undici, which is twice as fast.
 */
export function openConnections(
  options: Pick<ApiOptions, 'baseUrl' | 'timeoutMs' | 'env' | 'requestsBeforeUndici'>,
  most = MAX_CONNECTIONS,
): Connections {
  const { proxy, authorityFile } = routeTo(options)
  const first = openNodeTransport(options, most)
  const controller = new AbortController()
  const closing = controller.signal
  const before = options.requestsBeforeUndici ?? REQUESTS_BEFORE_UNDICI
  let left = proxy || authorityFile ? 0 : before
  let opening: Promise<HttpTransport> | undefined
  let ending: Promise<void> | undefined

  async function openLater(): Promise<HttpTransport> {
    const { openUndiciTransport } = await import('./undici-transport.ts')
    return openUndiciTransport(options, most)
  }

  async function exchangeLater(outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply> {
    opening ??= openLater()
    const later = await opening
    return later.exchange(outgoing, limits)
  }

  async function close(): Promise<void> {
    controller.abort()
    const later = await opening
    const opened = later ? [first, later] : [first]
    const deadline = setTimeout(() => {
      for (const each of opened) each.destroy()
    }, CLOSE_DEADLINE_MS)
    await Promise.all(opened.map((each) => each.close()))
    clearTimeout(deadline)
  }

  return {
    exchange: async (outgoing, limits) => {
      if (closing.aborted) throw new NoReply('network', false, new ClosedError())
      left -= 1
      return left < 0 ? exchangeLater(outgoing, limits) : first.exchange(outgoing, limits)
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
