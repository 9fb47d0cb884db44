import type { IncomingHttpHeaders } from 'node:http'

/**
 * Now by the server's clock: ours where it is within the second of the Date header, which keeps the milliseconds, else
 * the start of that second, which makes waits too long rather than too short.
 */
export function serverNowMs(headers: IncomingHttpHeaders, nowMs: number): number {
  const secondMs = Date.parse(headers.date ?? '')
  return Number.isNaN(secondMs) || (nowMs >= secondMs && nowMs < secondMs + 1000) ? nowMs : secondMs
}

/** How far the server's clock is ahead of ours, as its last answer told it. */
export class ClockOffset {
  #aheadMs = 0

  learn(headers: IncomingHttpHeaders | undefined, nowMs: number): void {
    if (headers?.date !== undefined) this.#aheadMs = serverNowMs(headers, nowMs) - nowMs
  }

  /** A moment of ours by the server's clock, as far as that is known when it is asked for. */
  mark(hereMs: number): () => number {
    return () => hereMs + this.#aheadMs
  }
}
