import { setTimeout as delay } from 'node:timers/promises'
import { type HostTiming, SYSTEM_TIMING } from '../../src/api/transport/timing.ts'

/** What is still under way at a server of a test has ended by then. */
const MOST_REAL_MS = 100

/** Long waits take a tenth of a second, and both clocks go on by all of their time. For servers that have no clock themselves. */
export function hurriedTiming(): HostTiming & { now(): number } {
  let aheadMs = 0
  const steadyMs = () => performance.now() + aheadMs
  return {
    steadyMs,
    now: () => Date.now() + aheadMs,
    random: SYSTEM_TIMING.random,
    sleep: async (ms, signal) => {
      const endMs = steadyMs() + ms
      await delay(Math.min(ms, MOST_REAL_MS), undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      // Of several that wait at once each takes only what is left.
      if (!signal.aborted) aheadMs += Math.max(0, endMs - steadyMs())
    },
  }
}
