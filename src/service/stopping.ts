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

  /** Requests that crossed the end of the server arrive within this time, and are answered with `Connection: close`. */
  closeIdleAfter(server: Server, timeMs: number): void {
    this.#isStopping = true
    if (timeMs === 0) return
    const closeIdle = server.closeIdleConnections.bind(server)
    // Called by close().
    server.closeIdleConnections = () => void setTimeout(closeIdle, timeMs).unref()
  }
}
