import { isPostgresUri } from '../../core/database-uri.ts'
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
