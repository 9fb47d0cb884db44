import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

/** Node fires a timer set beyond this at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Waits that a person would notice. */
export const NOTICEABLE_WAIT_MS = 1000

/** How the client waits; a test passes its own. */
export interface Timing {
  /** Resolves after `ms`, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** How all of a command line waits. */
export interface HostTiming extends Timing {
  /** Of a monotonic clock. */
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
