import { setTimeout as sleep } from 'node:timers/promises'
import type { ReceivedEvent, Simulation } from '../core/webhook-events.ts'

/** How bad a receiver is played, so that a sender can be seen to cope with it. */
export interface SimulationRules {
  /** Of deliveries, from 0 to 1. */
  readonly failRatio: number
  readonly delayMs: number
}

/** Waits as long as it is told; a delivery that is to fail comes back as what it is answered with. */
export type Simulator = (event: ReceivedEvent) => Promise<Simulation | undefined>

export interface SimulatorOptions extends SimulationRules {
  readonly now: () => number
  readonly random: () => number
  readonly signal: AbortSignal
}

export function createSimulator({ failRatio, delayMs, now, random, signal }: SimulatorOptions): Simulator {
  return async ({ id, name }) => {
    // A listener that stops does not wait.
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {})
    return random() < failRatio ? { type: 'simulated', id, name, atMs: now(), status: 500, delayMs } : undefined
  }
}
