import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from './problem.ts'

/** Statuses that clients are expected to retry. */
export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const

/** Statuses sent with Retry-After. */
const WITH_RETRY_AFTER: readonly FaultStatus[] = [429, 503]

/** Draws a fault for each request, after the delay of the plan; undefined for most, and always for /healthz. */
export function faultDraw({ latencyMs, faults }: FaultPlan): (path: string) => Promise<InjectedFault | undefined> {
  const draw = sequence()
  return async (path) => {
    if (path === '/healthz') return undefined
    const fault = chosen(faults, draw())
    if (latencyMs > 0) await delay(latencyMs)
    return fault
  }
}

function chosen(faults: readonly InjectedFault[], drawn: number): InjectedFault | undefined {
  let reached = 0
  return faults.find(({ share }) => {
    reached += share
    return drawn < reached
  })
}

export function refusal(status: FaultStatus): Problem {
  return new Problem(status, 'injected_fault', `this service injects status ${status} into some requests`, {
    headers: WITH_RETRY_AFTER.includes(status) ? { 'retry-after': '1' } : {},
  })
}

/** A fixed sequence of numbers from 0 to 1: mulberry32, https://github.com/cprosche/mulberry32 */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type FaultStatus = (typeof FAULT_STATUSES)[number]

export interface InjectedFault {
  /** Undefined resets the connection. */
  readonly status: FaultStatus | undefined
  /** Whether the fault strikes after the request took effect. */
  readonly isAfterwards: boolean
  /** Share of all requests, 0 to 1. */
  readonly share: number
}

/** The faults that a service injects to test its clients. */
export interface FaultPlan {
  /** Delay before each request is handled. */
  readonly latencyMs: number
  readonly faults: readonly InjectedFault[]
}
