import { KEY_PATH } from '../../core/resources/registry.ts'
import type { RateLimit } from '../rate-limit.ts'
import { type Route, type RouteReply, route } from '../route.ts'
import type { ApiKey } from '../store/store.ts'
import { timeText } from './records.ts'

/** The key that the request was sent with, whatever its scopes. `rateLimit`: of keys without a rate of their own. */
export function keyRoute(rateLimit: RateLimit | undefined): Route {
  return route(`GET ${KEY_PATH}`, {
    text: 'showKey: Show the key in use. Any key may ask, whatever its scopes.',
    success: [200, 'The key of the request.', 'Key'],
    scope: 'any',
    handle: async (_, { key }) => showKey(key as ApiKey, rateLimit),
  })
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
    expires_at: timeText(expiresAtMs),
  }
  return { status: 200, body: JSON.stringify(body), headers: { 'cache-control': 'no-store' } }
}
