import { setTimeout as sleep } from 'node:timers/promises'
import type { ReceivedEvent, Simulation } from '../core/webhook-events.ts'

/** A simulated bad receiver, to test how a sender handles it. */
export interface SimulationRules {
  /** Share of deliveries that fail, from 0 to 1. */
  readonly failRatio: number
  readonly delayMs: number
}

/** Waits for `delayMs`, then returns the answer of a delivery that is to fail, undefined for any other. */
export type Simulator = (event: ReceivedEvent) => Promise<Simulation | undefined>

export interface SimulatorOptions extends SimulationRules {
  readonly now: () => number
  readonly random: () => number
  readonly signal: AbortSignal
}

export function createSimulator({ failRatio, delayMs, now, random, signal }: SimulatorOptions): Simulator {
  return async ({ id, name }) => {
    // The delay ends when the listener stops.
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {})
    return random() < failRatio ? { type: 'simulated', id, name, atMs: now(), status: 500, delayMs } : undefined
  }
}
