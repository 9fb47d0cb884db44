import type { ApiKey, KeyRate, KeyScope, KeyUse } from './store.ts'

/** A key as databases store it, in the order of KEY_COLUMNS. A rate of 0 requests means no limit. */
export type KeyRow = readonly [
  id: string,
  hash: string,
  name: string,
  lastFour: string,
  scopes: string,
  createdAtMs: number,
  expiresAtMs: number | null,
  revokedAtMs: number | null,
  rateRequests: number | null,
  rateWindowMs: number | null,
  lastUsedAtMs: number | null,
]

export const KEY_COLUMNS = `id, hash, name, last_four, scopes, created_at_ms, expires_at_ms, revoked_at_ms, rate_requests,
  rate_window_ms, last_used_at_ms`

export function keyRow(key: ApiKey): KeyRow {
  const { id, hash, name, lastFour, scopes, createdAtMs, expiresAtMs, revokedAtMs, rate, lastUsedAtMs } = key
  const ends = [createdAtMs, expiresAtMs ?? null, revokedAtMs ?? null] as const
  return [id, hash, name, lastFour, scopes.join(' '), ...ends, ...rateColumns(rate), lastUsedAtMs ?? null]
}

export function keyOf(row: KeyRow): ApiKey {
  const [id, hash, name, lastFour, scopes, createdAtMs, expiresAtMs, revokedAtMs, requests, windowMs, lastUsedAtMs] =
    row
  return {
    id,
    hash,
    name,
    lastFour,
    scopes: scopes.split(' ').filter((scope): scope is KeyScope => scope === 'read' || scope === 'write'),
    createdAtMs,
    expiresAtMs: expiresAtMs ?? undefined,
    revokedAtMs: revokedAtMs ?? undefined,
    rate: rateOf(requests, windowMs),
    lastUsedAtMs: lastUsedAtMs ?? undefined,
  }
}

function rateColumns(rate: KeyRate | undefined): readonly [number | null, number | null] {
  if (rate === undefined) return [null, null]
  return rate === 'none' ? [0, null] : [rate.requests, rate.windowMs]
}

function rateOf(requests: number | null, windowMs: number | null): KeyRate | undefined {
  if (requests === null) return undefined
  return windowMs === null ? 'none' : { requests, windowMs }
}

/** The uses of a key as databases store them, in the order of USE_COLUMNS. */
export type UseRow = readonly [
  keyId: string,
  action: string,
  hourMs: number,
  count: number,
  refusedCount: number,
  lastAtMs: number,
  lastAddress: string,
]

export const USE_COLUMNS = 'key_id, action, hour_ms, count, refused_count, last_at_ms, last_address'

export function useOf([keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress]: UseRow): KeyUse {
  return { keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress }
}

export function useRow({ keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress }: KeyUse): UseRow {
  return [keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress]
}
