import type { FastifyReply, FastifyRequest } from 'fastify'
import { presentedKey, requireLive, requireScope } from './bearer.ts'
import { badParameter, unknownParameter } from './problem.ts'
import { type RateLimit, RateLimiter, rateHeaders, requireQuota } from './rate-limit.ts'
import type { Action, Route } from './route.ts'
import type { ApiKey, Store } from './store/store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key it was sent with, refused or not; undefined where none is needed or none is known. */
    apiKey: ApiKey | undefined
    /** As the reply names them; undefined where method and path say it. */
    actions: readonly Action[] | undefined
  }
}

export interface Gate {
  /** Requests that come before it is open wait for it. */
  readonly store: Store | Promise<Store>
  /** For keys without a rate of their own. */
  readonly rateLimit: RateLimit | undefined
  readonly now: () => number
}

/** The check that every request to a route passes before its body is read: key, rate, scope, names of parameters. */
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

/** A misspelt filter that was ignored would answer with everything. */
function requireParameters(query: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name in query) {
    if (!known.includes(name)) throw unknownParameter(name, known)
    const value = query[name]
    if (Array.isArray(value)) {
      throw badParameter(name, 'repeated_parameter', `expected it once, got it ${value.length} times`)
    }
  }
}
