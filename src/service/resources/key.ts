import { KEY_PATH } from '../../core/resources/registry.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { Route, RouteReply } from '../route.ts'
import type { ApiKey } from '../store/store.ts'

/** The key that the request was sent with, whatever its scopes. `rateLimit`: of keys without a rate of their own. */
export function keyRoutes(rateLimit: RateLimit | undefined): readonly Route[] {
  const handle: Route['handle'] = async (_store, { key }) => showKey(key as ApiKey, rateLimit)
  return [{ method: 'GET', path: KEY_PATH, scope: 'any', parameters: [], handle }]
}

function showKey(key: ApiKey, rateLimit: RateLimit | undefined): RouteReply {
  const { id, name, scopes, lastFour, createdAtMs, expiresAtMs, rate = rateLimit ?? 'none' } = key
  const body = {
    id,
    name,
    scopes,
    last_four: lastFour,
    rate_limit: rate === 'none' ? null : { requests: rate.requests, window_ms: rate.windowMs },
    created_at: timeText(createdAtMs),
    expires_at: expiresAtMs === undefined ? null : timeText(expiresAtMs),
  }
  return { status: 200, body: JSON.stringify(body), headers: { 'cache-control': 'no-store' } }
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
