import { CrmError } from '../../../core/errors.ts'
import { KEY_COLUMNS, type KeyRow, keyOf, keyRow, USE_COLUMNS, type UseRow, useOf, useRow } from '../api-key-rows.ts'
import { type ApiKey, KEY_USES_KEPT_MS, type KeyUse, type KeyUseQuery, type Store } from '../store.ts'
import { withoutNul } from './bounded-text.ts'
import type { Database, Session, Transaction } from './database.ts'

const SELECT_KEYS = `SELECT ${KEY_COLUMNS} FROM api_keys`

/** The channel on which processes tell one another that a key has changed. */
export const KEYS_CHANNEL = 'crm_keys'

export async function findKey(session: Session, hash: string): Promise<ApiKey | undefined> {
  const row = await session.get<KeyRow>(`${SELECT_KEYS} WHERE hash = $1`, hash)
  return row && keyOf(row)
}

/** In the order in which they were made, by their ids. */
export async function readKeys(session: Session): Promise<readonly ApiKey[]> {
  return (await session.all<KeyRow>(`${SELECT_KEYS} ORDER BY id`)).map(keyOf)
}

export async function insertKey(session: Session, key: ApiKey): Promise<void> {
  await session.run(
    `INSERT INTO api_keys (${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    ...keyRow({ ...key, name: withoutNul(key.name) }),
  )
}

export async function endKey(database: Database, id: string, end: Parameters<Store['endKey']>[1]): Promise<void> {
  const [column, atMs] = 'expiresAtMs' in end ? ['expires_at_ms', end.expiresAtMs] : ['revoked_at_ms', end.revokedAtMs]
  const isThere = await database.transaction('BEGIN', async (tx) => {
    const changed = await tx.run(
      `UPDATE api_keys SET ${column} = $1::bigint WHERE id = $2
        AND $1::bigint < coalesce(expires_at_ms, 9e18) AND $1::bigint < coalesce(revoked_at_ms, 9e18)`,
      atMs,
      id,
    )
    tx.atCommit(`NOTIFY ${KEYS_CHANNEL}`)
    return changed > 0 || (await tx.get('SELECT 1 FROM api_keys WHERE id = $1', id)) !== undefined
  })
  if (!isThere) throw new CrmError('not_found', `there is no API key ${id}`, { hint: 'crm serve keys list' })
}

export async function addKeyUses(database: Database, uses: readonly KeyUse[], nowMs: number): Promise<void> {
  if (uses.length === 0) return
  await database.transaction('BEGIN; SET LOCAL synchronous_commit = off', async (tx) => {
    // In one order in all processes, so that two never wait for one another.
    for (const use of uses.toSorted((left, right) => (left.keyId < right.keyId ? -1 : 1))) await addUse(tx, use)
    await tx.run('DELETE FROM key_uses WHERE hour_ms < $1', nowMs - KEY_USES_KEPT_MS)
  })
}

export async function readKeyUses(session: Session, { keyId, sinceMs }: KeyUseQuery): Promise<readonly KeyUse[]> {
  const rows = await session.all<UseRow>(
    `SELECT ${USE_COLUMNS} FROM key_uses
      WHERE last_at_ms >= $1 AND ($2::text IS NULL OR key_id = $2) ORDER BY hour_ms DESC, last_at_ms DESC, key_id, action`,
    sinceMs,
    keyId ?? null,
  )
  return rows.map(useOf)
}

async function addUse(tx: Transaction, use: KeyUse): Promise<void> {
  const isThere = await tx.run(
    'UPDATE api_keys SET last_used_at_ms = greatest(coalesce(last_used_at_ms, 0), $1) WHERE id = $2',
    use.lastAtMs,
    use.keyId,
  )
  if (!isThere) return
  await tx.run(
    `INSERT INTO key_uses (${USE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (hour_ms, key_id, action) DO UPDATE SET count = key_uses.count + excluded.count,
        refused_count = key_uses.refused_count + excluded.refused_count,
        last_at_ms = excluded.last_at_ms, last_address = excluded.last_address`,
    ...useRow({ ...use, action: withoutNul(use.action), lastAddress: withoutNul(use.lastAddress) }),
  )
}
