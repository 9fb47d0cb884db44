import { hashKey, KEY_TEXT } from './keys.ts'
import { Problem } from './problem.ts'
import type { ApiKey, Scope, Store } from './store/store.ts'

const REALM = 'Bearer realm="crm"'

const KEY_PARAMETERS = ['access_token', 'api_key', 'key'] as const

/**
 * The key of a request, which may have expired or been revoked. Throws the errors of RFC 6750 section 3.1, also for a key in
 * the URL, which would end up in logs.
 */
export async function presentedKey(
  store: Store,
  authorization: string | undefined,
  query: Readonly<Record<string, unknown>>,
): Promise<ApiKey> {
  for (const name of KEY_PARAMETERS) {
    if (query[name] !== undefined) throw invalidRequest(`send the key in the Authorization header, not as ${name}`)
  }
  const [, scheme, token] = /^([^ ]+)(?: +(.*))?$/.exec(authorization ?? '') ?? []
  if (scheme?.toLowerCase() !== 'bearer') throw unauthorized()
  if (token === undefined || !KEY_TEXT.test(token)) {
    throw invalidRequest('expected one header: Authorization: Bearer <key>')
  }
  const key = await store.findKey(hashKey(token))
  if (!key) throw invalidToken('no such key')
  return key
}

export function requireLive(key: ApiKey, nowMs: number): void {
  if (key.revokedAtMs !== undefined && key.revokedAtMs <= nowMs) throw invalidToken('the key was revoked')
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) throw invalidToken('the key has expired')
}

export function requireScope(key: ApiKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return
  throw new Problem(403, {
    code: 'insufficient_scope',
    detail: `the request needs a key with the scope ${scope}; this key has ${key.scopes.join(' and ') || 'none'}`,
    headers: { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"` },
  })
}

function unauthorized(): Problem {
  return new Problem(401, {
    code: 'unauthorized',
    detail: 'expected the header "Authorization: Bearer <key>"',
    headers: { 'www-authenticate': REALM },
  })
}

function invalidToken(detail: string): Problem {
  return new Problem(401, {
    code: 'invalid_token',
    detail,
    headers: { 'www-authenticate': `${REALM}, error="invalid_token", error_description="${detail}"` },
  })
}

function invalidRequest(detail: string): Problem {
  return new Problem(400, {
    code: 'invalid_request',
    detail,
    headers: { 'www-authenticate': `${REALM}, error="invalid_request"` },
  })
}
