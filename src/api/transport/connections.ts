import type { ApiOptions } from '../options.ts'
import {
  ClosedError,
  type ExchangeLimits,
  type HttpTransport,
  type Outgoing,
  PendingReply,
  type Reply,
} from './exchange.ts'
import { openNodeTransport } from './node-transport.ts'
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
