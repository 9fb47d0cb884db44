import type { ServerRequest } from './client-connection.ts'
import { hashKey, KEY_TEXT } from './keys.ts'
import { badParameter, Problem, type ProblemStatus, unknownParameter } from './problem.ts'
import { type RateLimit, RateWindows, rateHeaders, requireQuota } from './rate-limit.ts'
import type { Route } from './route.ts'
import type { ApiKey, KeyScope, Store } from './store/store.ts'

export interface Gate {
  /** Requests wait until it is open. A promise, so that the address is known before the database is created. */
  readonly store: Store | Promise<Store>
  /** For keys without their own rate. Undefined: no limit, and no headers about one. */
  readonly rateLimit: RateLimit | undefined
  readonly now: () => number
}

/** Checks key, rate, scope and parameter names of every request before its body is read. */
export function admission({ store, rateLimit, now }: Gate): (route: Route, request: ServerRequest) => Promise<void> {
  let windows: RateWindows | undefined
  return async (route, request) => {
    const { query, headers } = request
    const sent = request.raw.headers
    if (route.scope !== undefined && !route.needsNoKey?.(sent, query)) {
      const nowMs = now()
      const opened = await store
      const key = await presentedKey(opened, sent.authorization, query)
      request.key = key
      requireLive(key, nowMs)
      const limit = key.rate ?? rateLimit
      if (limit && limit !== 'none') {
        windows ??= new RateWindows(opened.countRequests)
        const quota = await windows.take(key.id, limit, nowMs)
        Object.assign(headers, rateHeaders(limit, quota, nowMs))
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

const KEY_PARAMETERS = ['access_token', 'api_key', 'key'] as const

/**
 * The key of a request, which may have expired or been revoked. Throws the errors of RFC 6750 section 3.1, also for a key in
 * the URL, which would end up in logs.
 */
async function presentedKey(
  store: Store,
  authorization: string | undefined,
  query: Readonly<Record<string, unknown>>,
): Promise<ApiKey> {
  for (const name of KEY_PARAMETERS) {
    if (query[name] !== undefined) throw invalidRequest(`send the key in the Authorization header, not as ${name}`)
  }
  const [, scheme, token] = /^([^ ]+)(?: +(.*))?$/.exec(authorization ?? '') ?? []
  if (scheme?.toLowerCase() !== 'bearer') {
    throw challenge(401, 'unauthorized', 'expected the header "Authorization: Bearer <key>"', '')
  }
  if (token === undefined || !KEY_TEXT.test(token)) {
    throw invalidRequest('expected one header: Authorization: Bearer <key>')
  }
  const key = await store.findKey(hashKey(token))
  if (!key) throw invalidToken('no such key')
  return key
}

function requireLive(key: ApiKey, nowMs: number): void {
  if (key.revokedAtMs !== undefined && key.revokedAtMs <= nowMs) throw invalidToken('the key was revoked')
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) throw invalidToken('the key has expired')
}

export function requireScope(key: ApiKey, scope: KeyScope): void {
  if (key.scopes.includes(scope)) return
  const detail = `the request needs a key with the scope ${scope}; this key has ${key.scopes.join(' and ') || 'none'}`
  throw challenge(403, 'insufficient_scope', detail, `, error="insufficient_scope", scope="${scope}"`)
}

function invalidToken(detail: string): Problem {
  return challenge(401, 'invalid_token', detail, `, error="invalid_token", error_description="${detail}"`)
}

function invalidRequest(detail: string): Problem {
  return challenge(400, 'invalid_request', detail, ', error="invalid_request"')
}

function challenge(status: ProblemStatus, code: string, detail: string, parameters: string): Problem {
  return new Problem(status, code, detail, { headers: { 'www-authenticate': `Bearer realm="crm"${parameters}` } })
}
