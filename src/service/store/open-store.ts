import { isPostgresUri } from '../../core/database-uri.ts'
import type { Env } from '../../core/streams.ts'
import type { CopiedTable, CopyOptions } from './copy.ts'
import type { Session, Transaction } from './sql.ts'
import type { Store } from './store.ts'
import type { StoreOptions } from './store-options.ts'

/** Throws a CrmError for a database that cannot be used. Several processes may have one database open. */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (isPostgresUri(options.address)) {
    const { openPostgresStore } = await import('./postgres/postgres-store.ts')
    return openPostgresStore(options)
  }
  const { openSqliteStore } = await import('./sqlite/sqlite-store.ts')
  return openSqliteStore(options)
}

/** Copies a database at one moment into a new file; services go on writing to it. CrmError `machine` when it cannot. */
export async function backUpStore(address: string, target: string): Promise<{ readonly sizeBytes: number }> {
  const { backUpDatabase } = await import('./sqlite/backup.ts')
  return backUpDatabase(address, target)
}

/** The bytes of such a copy, of which no file stays. */
export async function* backUpBytes(address: string): AsyncGenerator<Uint8Array, void, undefined> {
  const { copiedBytes } = await import('./sqlite/backup.ts')
  yield* copiedBytes(address)
}

/** Makes a database of a backup, after checks. CrmError `machine` for bytes that are no sound database, and for a target that exists. */
export async function restoreStore(
  backup: string | AsyncIterable<Uint8Array | string>,
  target: string,
): Promise<{ readonly sizeBytes: number }> {
  const { restoreDatabase } = await import('./sqlite/backup.ts')
  return restoreDatabase(backup, target)
}

/** CrmError `machine` for a database of PostgreSQL in which a copy has not come to its end. */
export async function checkCopied(address: string, env: Env): Promise<void> {
  const { refuseUnfinishedCopy } = await import('./postgres/copy-ends.ts')
  await refuseUnfinishedCopy(address, env)
}

interface Ends extends CopyOptions, Pick<StoreOptions, 'env'> {
  readonly from: string
  readonly to: string
  /** The value of `--from`, without its password. */
  readonly location: string
}

/**
 * Copies an SQLite file to PostgreSQL, or back, into an empty database or one in which an earlier copy was stopped. Returns the
 * tables after it has compared them. CrmError `machine` for a source in use, and for rows that differ.
 */
export async function copyStore({ from, to, location, env = {}, ...options }: Ends): Promise<readonly CopiedTable[]> {
  const { copyRows } = await import('./copy.ts')
  const sqlite = await import('./sqlite/copy-ends.ts')
  const postgres = await import('./postgres/copy-ends.ts')
  const copy = (source: Session) => (tx: Transaction) => copyRows(source, tx, options)
  return isPostgresUri(from)
    ? postgres.withPostgresSource(from, env, (source) => sqlite.withSqliteTarget(to, location, copy(source)))
    : sqlite.withSqliteSource(from, (source) =>
        postgres.withPostgresTarget(to, { env, source: location }, copy(source)),
      )
}
