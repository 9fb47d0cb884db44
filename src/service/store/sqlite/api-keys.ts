import { CrmError } from '../../../core/errors.ts'
import { KEY_COLUMNS, type KeyRow, keyOf, keyRow, USE_COLUMNS, type UseRow, useOf, useRow } from '../api-key-rows.ts'
import { type ApiKey, KEY_USES_KEPT_MS, type KeyUse, type KeyUseQuery, type Store } from '../store.ts'
import { type Connection, inQuickTransaction } from './connection.ts'

const SELECT_KEYS = `SELECT ${KEY_COLUMNS} FROM api_keys`

export function findKey(db: Connection, hash: string): ApiKey | undefined {
  const row = db.get<KeyRow>(`${SELECT_KEYS} WHERE hash = ?`, hash)
  return row && keyOf(row)
}

/** In the order in which they were made, by their ids. */
export function readKeys(db: Connection): readonly ApiKey[] {
  return db.all<KeyRow>(`${SELECT_KEYS} ORDER BY id`).map(keyOf)
}

export function insertKey(db: Connection, key: ApiKey): void {
  db.run(`INSERT INTO api_keys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...keyRow(key))
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
      `SELECT ${USE_COLUMNS} FROM key_uses
        WHERE last_at_ms >= ?1 AND (?2 IS NULL OR key_id = ?2) ORDER BY hour_ms DESC, last_at_ms DESC, key_id, action`,
      sinceMs,
      keyId ?? null,
    )
    .map(useOf)
}

function addUse(db: Connection, use: KeyUse): void {
  const isThere = db.run(
    'UPDATE api_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?) WHERE id = ?',
    use.lastAtMs,
    use.keyId,
  )
  if (!isThere) return
  db.run(
    `INSERT INTO key_uses (${USE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count, refused_count = refused_count + excluded.refused_count,
        last_at_ms = excluded.last_at_ms, last_address = excluded.last_address`,
    ...useRow(use),
  )
}
