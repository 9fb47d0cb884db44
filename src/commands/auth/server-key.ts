import type { ServerKey } from '../../api/server-key.ts'
import { durationText } from '../../core/duration.ts'
import type { JsonObject } from '../../core/json.ts'

/** Null for what the server does not state, and for a key that does not expire. */
export function serverKeyMembers({ id, name, scopes, expiresAt, rate, account }: ServerKey): JsonObject {
  return {
    key_id: id ?? null,
    key_name: name ?? null,
    scopes: scopes ? [...scopes] : null,
    expires_at: expiresAt ?? null,
    rate_limit: rate === null ? 'none' : rateText(rate),
    account: account ?? null,
  }
}

/** In the format of `--rate` of `crm serve`; the number alone where the server states no window. */
function rateText(rate: NonNullable<ServerKey['rate']> | undefined): string | null {
  if (rate?.limit === undefined) return null
  return rate.windowMs === undefined ? `${rate.limit}` : `${rate.limit}/${durationText(rate.windowMs)}`
}

/** A sentence with what the server does not state; undefined if it states all. */
export function unstatedText({ name, scopes, expiresAt, rate, account }: ServerKey, host: string): string | undefined {
  const unstated = Object.entries({
    name: name === undefined,
    scopes: scopes === undefined,
    expiry: expiresAt === undefined,
    'rate limit': rate !== null && rate?.limit === undefined,
    account: account === undefined,
  }).flatMap(([what, isUnstated]) => (isUnstated ? [what] : []))
  return unstated.length === 0 ? undefined : `${host} does not state this about the key: ${unstated.join(', ')}.`
}
