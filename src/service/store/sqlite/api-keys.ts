import { CrmError } from '../../../core/errors.ts'
import {
  type ApiKey,
  KEY_USES_KEPT_MS,
  type KeyRate,
  type KeyScope,
  type KeyUse,
  type KeyUseQuery,
  type Store,
} from '../store.ts'
import { type Connection, inQuickTransaction } from './connection.ts'

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
    scopes: scopes.split(' ').filter((scope): scope is KeyScope => scope === 'read' || scope === 'write'),
    createdAtMs,
    expiresAtMs: expiresAtMs ?? undefined,
    revokedAtMs: revokedAtMs ?? undefined,
    rate: rateOf(requests, windowMs),
    lastUsedAtMs: lastUsedAtMs ?? undefined,
  }
}

type UseRow = readonly [
  keyId: string,
  action: string,
  hourMs: number,
  count: number,
  refusedCount: number,
  lastAtMs: number,
  lastAddress: string,
]

export function addKeyUses(db: Connection, uses: readonly KeyUse[], nowMs: number): void {
  if (uses.length === 0) return
  inQuickTransaction(db, () => {
    for (const use of uses) addUse(db, use)
    db.run('DELETE FROM key_uses WHERE hour_ms < ?', nowMs - KEY_USES_KEPT_MS)
  })
}

export function readKeyUses(db: Connection, { keyId, sinceMs }: KeyUseQuery): readonly KeyUse[] {
  return db
    .all<UseRow>(
      `SELECT key_id, action, hour_ms, count, refused_count, last_at_ms, last_address FROM key_uses
        WHERE last_at_ms >= ?1 AND (?2 IS NULL OR key_id = ?2) ORDER BY hour_ms DESC, last_at_ms DESC, key_id, action`,
      sinceMs,
      keyId ?? null,
    )
    .map(([keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress]) => ({
      keyId,
      action,
      hourMs,
      count,
      refusedCount,
      lastAtMs,
      lastAddress,
    }))
}

function addUse(db: Connection, { keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress }: KeyUse): void {
  const isThere = db.run(
    'UPDATE api_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?',
    lastAtMs,
    keyId,
  )
  if (!isThere) return
  db.run(
    `INSERT INTO key_uses (hour_ms, key_id, action, count, refused_count, last_at_ms, last_address)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count, refused_count = refused_count + excluded.refused_count,
        last_at_ms = excluded.last_at_ms, last_address = excluded.last_address`,
    hourMs,
    keyId,
    action,
    count,
    refusedCount,
    lastAtMs,
    lastAddress,
  )
}
