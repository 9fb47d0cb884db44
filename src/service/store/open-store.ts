import { isPostgresUri } from '../../core/database-uri.ts'
import type { ComparedTable } from './copy/compare-rows.ts'
import type { CopyOptions } from './copy/copy-rows.ts'
import type { CopySource, CopyTarget } from './copy/ends.ts'
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
  const { copiedBytes } = await import('./sqlite/copied-bytes.ts')
  yield* copiedBytes(address)
}

/** Makes a database of a backup, after checks. CrmError `machine` for bytes that are no sound database, and for a target that exists. */
export async function restoreStore(
  backup: string | AsyncIterable<Uint8Array | string>,
  target: string,
): Promise<{ readonly sizeBytes: number }> {
  const { restoreDatabase } = await import('./sqlite/copied-bytes.ts')
  return restoreDatabase(backup, target)
}

interface Copied extends CopyOptions, Pick<StoreOptions, 'env'> {
  readonly from: string
  readonly to: string
}

/**
 * Copies an SQLite file to PostgreSQL, or back, into an empty database or one that an earlier copy has left unfinished. Returns
 * the tables after it has compared them. CrmError `machine` for a source in use, and for rows that differ.
 */
export async function copyStore({ from, to, env = {}, ...options }: Copied): Promise<readonly ComparedTable[]> {
  const { copyRows } = await import('./copy/copy-rows.ts')
  const copy = (source: CopySource, target: CopyTarget) => copyRows(source, target, options)
  if (isPostgresUri(from)) {
    const { withPostgresSource } = await import('./postgres/copy-source.ts')
    const { withSqliteTarget } = await import('./sqlite/copy-target.ts')
    return withPostgresSource(from, env, (source) => withSqliteTarget(to, (target) => copy(source, target)))
  }
  const { withSqliteSource } = await import('./sqlite/copy-source.ts')
  const { withPostgresTarget } = await import('./postgres/copy-target.ts')
  return withSqliteSource(from, (source) => withPostgresTarget(to, env, (target) => copy(source, target)))
}
