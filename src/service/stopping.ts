import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** How a server stops without a reset: see `drain` and `closeIdleAfter`. */
export class Stopping {
  #isStopping = false

  /** From then on, `/readyz` is 503. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /**
   * Requests are answered for so long, until a load balancer sends the next ones elsewhere. Connections stay open: a client
   * that made a new one for each request would be reset when the server stops to listen.
   */
  async drain(timeMs: number): Promise<void> {
    this.#isStopping = true
    await delay(timeMs)
  }

  /**
   * Requests that crossed the end of the server are answered with `Connection: close`. Connections without one are closed
   * when none has arrived for this time.
   */
  closeIdleAfter(server: Server, timeMs: number): void {
    this.#isStopping = true
    if (timeMs === 0) return
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
}
