import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { ApiKey, Store } from '../../service/store/store.ts'
import { chooseDatabase } from './database.ts'
import { defineObjectsOf } from './own-objects.ts'

export interface DatabaseOptions {
  readonly database?: string
}

export const DATABASE_HELP = 'an SQLite file or postgres://... (default: crm.db in the data folder)'

export const FILE_HELP = 'an SQLite file (default: crm.db in the data folder)'

/** For hints: the command that lists the keys of the same database. */
export function listKeysCommand(database: string | undefined): string {
  return `crm serve keys list${database === undefined ? '' : ` --database ${shellWord(database)}`}`
}

/** Opens an existing database, does the work, and closes it. */
export async function withDatabase<T>(
  ctx: Pick<Context, 'env' | 'now'>,
  given: string | undefined,
  work: (store: Store) => Promise<T>,
  use: 'read' | 'write' = 'write',
): Promise<T> {
  if (given === ':memory:') {
    throw new CrmError('usage', 'a database in memory ends with its process, and keeps no keys', {
      hint: 'give --database FILE',
    })
  }
  const { address } = chooseDatabase(ctx.env, given)
  await defineObjectsOf(ctx, address)
  const { openStore } = await import('../../service/store/open-store.ts')
  const store = await openStore({ address, env: ctx.env, now: ctx.now, isCreated: false, isOnlyRead: use === 'read' })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export const PRINTED_KEY_COLUMNS = [
  'id',
  'name',
  'scopes',
  'rate',
  'last_four',
  'state',
  'last_used_at',
  'created_at',
  'expires_at',
  'revoked_at',
]

export function keyRecord(key: ApiKey, nowMs: number): CrmRecord {
  const hasExpired = key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs
  return {
    id: key.id,
    name: key.name,
    scopes: [...key.scopes],
    rate: rateText(key.rate),
    last_four: key.lastFour,
    state: key.revokedAtMs !== undefined ? 'revoked' : hasExpired ? 'expired' : 'live',
    last_used_at: timeText(key.lastUsedAtMs),
    created_at: timeText(key.createdAtMs),
    expires_at: timeText(key.expiresAtMs),
    revoked_at: timeText(key.revokedAtMs),
  }
}

/** In the format of `--rate`; null for the rate of the service. */
function rateText(rate: ApiKey['rate']): string | null {
  if (rate === undefined || rate === 'none') return rate ?? null
  return `${rate.requests}/${rate.windowMs % 1000 === 0 ? `${rate.windowMs / 1000}s` : `${rate.windowMs}ms`}`
}

function timeText(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString()
}
