import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isLoopback } from '../core/http-rules.ts'
import type { Gate } from './admission.ts'
import { type AppOptions, createApp } from './app.ts'
import { targetRule } from './delivery/target-rules.ts'
import { MAX_CONNECTIONS, secureWith, TIMEOUTS, type Tls, useTls } from './http-server.ts'
import { gatherKeyUses } from './key-uses.ts'
import { listenAt } from './listen.ts'
import { failureText } from './log.ts'
import { NO_PROXIES, type Proxies } from './proxies.ts'
import { serviceRoutes } from './service-routes.ts'
import { KEPT_MS } from './store/store-options.ts'

/** The store stays open when the server closes. */
export interface ServerOptions extends Gate, Pick<AppOptions, 'version' | 'onAnswered'>, Partial<AppDefaults> {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly tls?: Tls | undefined
  /** As for the sender: subscriptions to other addresses are rejected. Undefined: all are accepted. */
  readonly allowsPrivateTargets?: boolean | undefined
  readonly proxies?: Proxies | undefined
  readonly answersKeptMs?: number | undefined
}

type AppDefaults = Pick<AppOptions, 'log' | 'timeouts' | 'maxConnections' | 'faults'>

export interface RunningServer {
  readonly url: string
  /**
   * Before `close`: answers for so long, with 503 at `/readyz`, until a load balancer sends the next requests elsewhere.
   * Connections stay open: a client that made a new one for each request would be reset when the server stops to listen.
   */
  drain(timeMs: number): Promise<void>
  /** For the connections that follow. CrmError `invalid_input` for a certificate or key that cannot be used. */
  useTls(tls: Tls): void
  /**
   * Stops accepting connections. Resolves when requests in progress are answered or after `closeMs`. Connections without a
   * request are closed after `crossingMs` (0), in which a request that was sent before may arrive.
   */
  close(crossingMs?: number): Promise<void>
  /** After `close`: the number of requests that the audit of keys lacks. */
  lostUses(): number
}

/** Starts the CRM service. Throws a CrmError when the port or the certificate cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { tls, log, faults, timeouts = TIMEOUTS, allowsPrivateTargets = true, proxies = NO_PROXIES } = options
  const { answersKeptMs = KEPT_MS.answersMs } = options
  const secure = await secureWith(tls)
  const keyUses = gatherKeyUses(options.store, {
    onFailure: (error) => {
      log?.({ level: 'error', event: 'failure', error: `audit of keys: ${failureText(error)}` })
    },
  })
  let isStopping = false
  const app = createApp({
    ...options,
    routes: serviceRoutes({
      ...options,
      isStopping: () => isStopping,
      hasPage: isLoopback(options.host),
      isTarget: targetRule(allowsPrivateTargets),
      answersKeptMs,
    }),
    secure,
    log,
    faults,
    timeouts,
    maxConnections: options.maxConnections ?? MAX_CONNECTIONS,
    keyUses,
    proxies,
    answersKeptMs,
  })
  const address = await listenAt(app, options).catch(async (error: unknown) => {
    await keyUses.close()
    throw error
  })
  let lostUses = 0
  return {
    url: `${tls ? 'https' : 'http'}://${address}${proxies.basePath}`,
    async drain(timeMs) {
      isStopping = true
      await delay(timeMs)
    },
    useTls: (other) => useTls(app, other),
    lostUses: () => lostUses,
    async close(crossingMs = 0) {
      isStopping = true
      if (crossingMs > 0) closeIdleAfter(app, crossingMs)
      const timer = setTimeout(() => app.closeAllConnections(), timeouts.closeMs)
      try {
        const closed = once(app, 'close')
        app.close()
        await closed
      } finally {
        clearTimeout(timer)
        lostUses = await keyUses.close()
      }
    },
  }
}

/**
 * Requests that crossed the end of the server are answered with `Connection: close`. Connections without one are closed when
 * none has arrived for this time.
 */
function closeIdleAfter(server: Server, timeMs: number): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  let requests = 0
  server.on('request', () => {
    requests += 1
  })
  const closeWhenQuiet = (before: number) => {
    // After the sockets were read: a process that was held up finds both, the time over and requests waiting.
    const check = () => setImmediate(() => (requests === before ? closeIdle() : closeWhenQuiet(requests)))
    setTimeout(check, timeMs).unref()
  }
  // Called by close().
  server.closeIdleConnections = () => closeWhenQuiet(requests)
}
