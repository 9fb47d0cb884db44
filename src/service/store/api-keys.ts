import { CrmError } from '../../core/errors.ts'
import { rowReader, type Session, type SqlDatabase, type Transaction } from './sql.ts'
import {
  type ApiKey,
  KEY_USES_KEPT_MS,
  type KeyRate,
  type KeyScope,
  type KeyUse,
  type KeyUseQuery,
  type Store,
} from './store.ts'

const KEY_COLUMNS = `id, hash, name, last_four, scopes, created_at_ms, expires_at_ms, revoked_at_ms, rate_requests,
  rate_window_ms, last_used_at_ms`

/** A rate of 0 requests means no limit. */
interface KeyRow extends Omit<ApiKey, 'scopes' | 'rate'> {
  readonly scopes: string
  readonly rateRequests: number | undefined
  readonly rateWindowMs: number | undefined
}

const readKey = rowReader<KeyRow>(KEY_COLUMNS)

const SELECT_KEYS = `SELECT ${KEY_COLUMNS} FROM api_keys`

async function findKey(session: Session, hash: string): Promise<ApiKey | undefined> {
  const row = await session.get(`${SELECT_KEYS} WHERE hash = $1`, hash)
  return row && keyOf(row)
}

/** In the order in which they were made, by their ids. */
export async function readKeys(session: Session): Promise<readonly ApiKey[]> {
  return (await session.all(`${SELECT_KEYS} ORDER BY id`)).map(keyOf)
}

export async function insertKey(session: Session, key: ApiKey): Promise<void> {
  const { id, hash, name, lastFour, scopes, createdAtMs, expiresAtMs, revokedAtMs, rate, lastUsedAtMs } = key
  await session.run(
    `INSERT INTO api_keys (${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    ...[id, hash, session.dialect.plain(name), lastFour, scopes.join(' ')],
    ...[createdAtMs, expiresAtMs ?? null, revokedAtMs ?? null, ...rateColumns(rate), lastUsedAtMs ?? null],
  )
}

export async function endKey(tx: Transaction, id: string, end: Parameters<Store['endKey']>[1]): Promise<void> {
  const [column, atMs] = 'expiresAtMs' in end ? ['expires_at_ms', end.expiresAtMs] : ['revoked_at_ms', end.revokedAtMs]
  const changed = await tx.run(
    `UPDATE api_keys SET ${column} = CAST($1 AS bigint) WHERE id = $2
      AND CAST($1 AS bigint) < coalesce(expires_at_ms, 9e18) AND CAST($1 AS bigint) < coalesce(revoked_at_ms, 9e18)`,
    atMs,
    id,
  )
  if (changed > 0 || (await tx.get('SELECT 1 FROM api_keys WHERE id = $1', id))) return
  throw new CrmError('not_found', `there is no API key ${id}`, { hint: 'crm serve keys list' })
}

function keyOf(row: readonly unknown[]): ApiKey {
  const { scopes, rateRequests, rateWindowMs, ...key } = readKey(row)
  const isScope = (scope: string): scope is KeyScope => scope === 'read' || scope === 'write'
  return { ...key, scopes: scopes.split(' ').filter(isScope), rate: rateOf(rateRequests, rateWindowMs) }
}

function rateColumns(rate: KeyRate | undefined): readonly [number | null, number | null] {
  if (rate === undefined) return [null, null]
  return rate === 'none' ? [0, null] : [rate.requests, rate.windowMs]
}

function rateOf(requests: number | undefined, windowMs: number | undefined): KeyRate | undefined {
  if (requests === undefined) return undefined
  return windowMs === undefined ? 'none' : { requests, windowMs }
}

const USE_COLUMNS = 'key_id, action, hour_ms, count, refused_count, last_at_ms, last_address'

const readUse = rowReader<KeyUse>(USE_COLUMNS)

export async function addKeyUses(database: SqlDatabase, uses: readonly KeyUse[], nowMs: number): Promise<void> {
  if (uses.length === 0) return
  await database.transaction('quick', async (tx) => {
    // In one order in all processes, so that two never wait for one another.
    for (const use of uses.toSorted((left, right) => (left.keyId < right.keyId ? -1 : 1))) await addUse(tx, use)
    await tx.run('DELETE FROM key_uses WHERE hour_ms < $1', nowMs - KEY_USES_KEPT_MS)
  })
}

export async function readKeyUses(session: Session, { keyId, sinceMs }: KeyUseQuery): Promise<readonly KeyUse[]> {
  const rows = await session.all(
    `SELECT ${USE_COLUMNS} FROM key_uses WHERE last_at_ms >= $1 AND (CAST($2 AS text) IS NULL OR key_id = $2)
      ORDER BY hour_ms DESC, last_at_ms DESC, key_id, action`,
    sinceMs,
    keyId ?? null,
  )
  return rows.map(readUse)
}

async function addUse(tx: Transaction, use: KeyUse): Promise<void> {
  const { plain, greatest } = tx.dialect
  const { keyId, action, hourMs, count, refusedCount, lastAtMs, lastAddress } = use
  const isThere = await tx.run(
    `UPDATE api_keys SET last_used_at_ms = ${greatest('coalesce(last_used_at_ms, 0)', '$1')} WHERE id = $2`,
    lastAtMs,
    keyId,
  )
  if (!isThere) return
  await tx.run(
    `INSERT INTO key_uses (${USE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (hour_ms, key_id, action) DO UPDATE SET count = key_uses.count + excluded.count,
        refused_count = key_uses.refused_count + excluded.refused_count,
        last_at_ms = excluded.last_at_ms, last_address = excluded.last_address`,
    ...[keyId, plain(action), hourMs, count, refusedCount, lastAtMs, plain(lastAddress)],
  )
}

/** Beyond this number all are dropped: there are few keys. */
const MAX_KEYS = 10_000

/** When known keys end without being forgotten. */
export interface KeyLifetime {
  /** Another value ends all. */
  epoch(): number
  readonly keptMs: number
}

/** The keys of the last requests, so that not each of them asks the database. */
export class KnownKeys {
  readonly #session: Session
  readonly #lifetime: KeyLifetime
  readonly #keys = new Map<string, { readonly key: ApiKey; readonly untilMs: number }>()
  #epoch = 0
  /** Changes when keys are forgotten, so that a read that began before is not kept. */
  #forgotten = 0

  constructor(session: Session, lifetime: KeyLifetime) {
    this.#session = session
    this.#lifetime = lifetime
  }

  async find(hash: string): Promise<ApiKey | undefined> {
    const epoch = this.#lifetime.epoch()
    if (epoch !== this.#epoch) this.forget()
    this.#epoch = epoch
    const known = this.#keys.get(hash)
    if (known && performance.now() < known.untilMs) return known.key
    const forgotten = this.#forgotten
    const untilMs = performance.now() + this.#lifetime.keptMs
    const key = await findKey(this.#session, hash)
    if (key && forgotten === this.#forgotten) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
      this.#keys.set(hash, { key, untilMs })
    }
    return key
  }

  forget(): void {
    this.#keys.clear()
    this.#forgotten++
  }
}
