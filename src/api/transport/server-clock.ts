import type { IncomingHttpHeaders } from 'node:http'

/**
 * Now by the server's clock: the local time if it is within the second of the Date header, which keeps the milliseconds;
 * else the start of that second, so that waits are too long rather than too short.
 */
export function serverNowMs(headers: IncomingHttpHeaders, nowMs: number): number {
  const secondMs = Date.parse(headers.date ?? '')
  return Number.isNaN(secondMs) || (nowMs >= secondMs && nowMs < secondMs + 1000) ? nowMs : secondMs
}

/** The offset of the server's clock from the local one, by its last answer. */
export class ClockOffset {
  #aheadMs = 0

  learn(headers: IncomingHttpHeaders | undefined, nowMs: number): void {
    if (headers?.date !== undefined) this.#aheadMs = serverNowMs(headers, nowMs) - nowMs
  }

  /** Returns a function that gives a local time by the server's clock, with the offset known when it is called. */
  mark(hereMs: number): () => number {
    return () => hereMs + this.#aheadMs
  }
}
