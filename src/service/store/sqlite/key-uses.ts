import { KEY_USES_KEPT_MS, type KeyUse, type KeyUseQuery } from '../store.ts'
import type { Connection } from './connection.ts'
import { inQuickTransaction } from './connection.ts'

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
