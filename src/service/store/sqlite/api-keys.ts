import { CrmError } from '../../../core/errors.ts'
import type { ApiKey, KeyRate, Scope, Store } from '../store.ts'
import type { Connection } from './connection.ts'

type KeyRow = readonly [
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

const COLUMNS = `id, hash, name, last_four, scopes, created_at_ms, expires_at_ms, revoked_at_ms, rate_requests,
  rate_window_ms, last_used_at_ms`

const SELECT_KEYS = `SELECT ${COLUMNS} FROM api_keys`

export function findKey(db: Connection, hash: string): ApiKey | undefined {
  const row = db.get<KeyRow>(`${SELECT_KEYS} WHERE hash = ?`, hash)
  return row && keyOf(row)
}

/** Oldest first. */
export function readKeys(db: Connection): readonly ApiKey[] {
  return db.all<KeyRow>(`${SELECT_KEYS} ORDER BY created_at_ms, id`).map(keyOf)
}

export function insertKey(db: Connection, key: ApiKey): void {
  db.run(
    `INSERT INTO api_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    key.hash,
    key.name,
    key.lastFour,
    key.scopes.join(' '),
    key.createdAtMs,
    key.expiresAtMs ?? null,
    key.revokedAtMs ?? null,
    ...rateColumns(key.rate),
    key.lastUsedAtMs ?? null,
  )
}

export function endKey(db: Connection, id: string, end: Parameters<Store['endKey']>[1]): void {
  const [column, atMs] = 'expiresAtMs' in end ? ['expires_at_ms', end.expiresAtMs] : ['revoked_at_ms', end.revokedAtMs]
  const changed = db.run(
    `UPDATE api_keys SET ${column} = ?1 WHERE id = ?2
      AND ?1 < coalesce(expires_at_ms, 9e18) AND ?1 < coalesce(revoked_at_ms, 9e18)`,
    atMs,
    id,
  )
  if (changed > 0 || db.get('SELECT 1 FROM api_keys WHERE id = ?', id)) return
  throw new CrmError('not_found', `there is no API key ${id}`, { hint: 'crm serve keys list' })
}

function rateColumns(rate: KeyRate | undefined): readonly [number | null, number | null] {
  if (rate === undefined) return [null, null]
  return rate === 'none' ? [0, null] : [rate.requests, rate.windowMs]
}

function rateOf(requests: number | null, windowMs: number | null): KeyRate | undefined {
  if (requests === null) return undefined
  return windowMs === null ? 'none' : { requests, windowMs }
}

function keyOf(row: KeyRow): ApiKey {
  const [id, hash, name, lastFour, scopes, createdAtMs, expiresAtMs, revokedAtMs, requests, windowMs, lastUsedAtMs] =
    row
  return {
    id,
    hash,
    name,
    lastFour,
    scopes: scopes.split(' ').filter((scope): scope is Scope => scope === 'read' || scope === 'write'),
    createdAtMs,
    expiresAtMs: expiresAtMs ?? undefined,
    revokedAtMs: revokedAtMs ?? undefined,
    rate: rateOf(requests, windowMs),
    lastUsedAtMs: lastUsedAtMs ?? undefined,
  }
}
