import type { Connection } from './connection.ts'

/** IMMEDIATE: a transaction that reads first fails without a retry when another process writes before it does. */
export function inTransaction<T>(db: Connection, work: () => T): T {
  db.run('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.run('COMMIT')
    return result
  } catch (error) {
    // A full disk or an I/O error may have rolled it back already.
    if (db.isInTransaction) db.run('ROLLBACK')
    throw error
  }
}

/**
 * Does not wait for the disk, so a power cut may undo it. Other commits are not affected: the next synchronous commit syncs
 * the whole log (https://sqlite.org/pragma.html#pragma_synchronous).
 */
export function inQuickTransaction<T>(db: Connection, work: () => T): T {
  db.run('PRAGMA synchronous = NORMAL')
  try {
    return inTransaction(db, work)
  } finally {
    db.run('PRAGMA synchronous = FULL')
  }
}
