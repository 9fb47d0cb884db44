import type { FastifyReply, FastifyRequest } from 'fastify'
import { presentedKey, requireLive, requireScope } from './bearer.ts'
import { badParameter, unknownParameter } from './problem.ts'
import { type RateLimit, RateLimiter, rateHeaders, requireQuota } from './rate-limit.ts'
import type { Action, Route } from './route.ts'
import type { ApiKey, Store } from './store/store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key it was sent with, accepted or not; undefined when none is needed or the key is unknown. */
    apiKey: ApiKey | undefined
    /** The actions of the reply; undefined when method and path describe the action. */
    actions: readonly Action[] | undefined
  }
}

export interface Gate {
  /** Requests wait until it is open. */
  readonly store: Store | Promise<Store>
  /** For keys without their own rate. */
  readonly rateLimit: RateLimit | undefined
  readonly now: () => number
}

/** Checks key, rate, scope and parameter names of every request before its body is read. */
export function admission(
  gate: Gate,
): (route: Route) => (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { store, rateLimit, now } = gate
  const limiter = new RateLimiter()
  return (route) => async (request, reply) => {
    const query = request.query as Record<string, unknown>
    if (route.scope !== undefined && !route.needsNoKey?.(request.headers, query)) {
      const nowMs = now()
      const key = await presentedKey(await store, request.headers.authorization, query)
      request.apiKey = key
      requireLive(key, nowMs)
      const limit = key.rate ?? rateLimit
      if (limit && limit !== 'none') {
        const quota = limiter.take(key.id, limit, nowMs)
        reply.headers(rateHeaders(limit, quota, nowMs))
        requireQuota(limit, quota, nowMs)
      }
      if (route.scope !== 'any') requireScope(key, route.scope)
    }
    requireParameters(query, route.parameters)
  }
}

/** An ignored misspelt filter would return all records. */
function requireParameters(query: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name in query) {
    if (!known.includes(name)) throw unknownParameter(name, known)
    const value = query[name]
    if (Array.isArray(value)) {
      throw badParameter(name, 'repeated_parameter', `expected once, got ${value.length} values`)
    }
  }
}
