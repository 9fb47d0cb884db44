import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** Node fires a longer timer at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Shorter waits are not reported. */
export const NOTICEABLE_WAIT_MS = 1000

/** Waits and randomness of the client; tests pass their own. */
export interface Timing {
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** Waits and clocks of a command line. */
export interface HostTiming extends Timing {
  /** The time of a monotonic clock. */
  steadyMs(): number
}

export const SYSTEM_TIMING: HostTiming = {
  sleep: async (ms, signal) => {
    try {
      await delay(Math.min(ms, MAX_TIMER_MS), undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
  random: Math.random,
  steadyMs: () => performance.now(),
}

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
