import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from './log.ts'
import { Problem } from './problem.ts'

/** Statuses that clients are expected to retry. */
export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const

/** Statuses sent with Retry-After. */
const WITH_RETRY_AFTER: readonly FaultStatus[] = [429, 503]

/** Adds the hooks. Routes added before, and /healthz, are not affected. */
export function injectFaults(app: FastifyInstance, { latencyMs, faults, isOn }: FaultPlan, log: Log | undefined): void {
  const draw = sequence()
  const pending = new WeakMap<FastifyRequest, InjectedFault>()
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/healthz' || !isOn()) return
    const fault = chosen(faults, draw())
    if (latencyMs > 0) await delay(latencyMs)
    if (fault?.isAfterwards) pending.set(request, fault)
    else if (fault) injectFault(fault, request, reply, log)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const fault = pending.get(request)
    if (!fault) return payload
    // A Problem thrown here passes this hook again.
    pending.delete(request)
    injectFault(fault, request, reply, log)
    return payload
  })
}

function chosen(faults: readonly InjectedFault[], drawn: number): InjectedFault | undefined {
  let reached = 0
  return faults.find(({ share }) => {
    reached += share
    return drawn < reached
  })
}

function injectFault(
  { status, isAfterwards }: InjectedFault,
  request: FastifyRequest,
  reply: FastifyReply,
  log?: Log,
): void {
  if (status !== undefined) throw refusal(status)
  // The onResponse hook does not run for a reset connection.
  log?.({
    level: 'warn',
    event: 'request',
    request_id: request.id,
    method: request.method,
    path: request.url.split('?', 1)[0],
    reset: isAfterwards ? 'after' : 'before',
  })
  reply.hijack()
  request.raw.socket.resetAndDestroy()
}

function refusal(status: FaultStatus): Problem {
  return new Problem(status, {
    code: 'injected_fault',
    detail: `this service injects status ${status} into some requests`,
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
  /** No fault is injected while this is false. */
  isOn(): boolean
}
