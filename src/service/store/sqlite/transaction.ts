import type { Connection } from './connection.ts'

/** IMMEDIATE: a transaction that reads first and writes later could not be retried when another process wrote between. */
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
 * Does not wait for the disk: a power cut may undo it, and with it nothing that was committed otherwise, because the log
 * is one and whoever waits for it next waits for all of it (https://sqlite.org/pragma.html#pragma_synchronous).
 */
export function inQuickTransaction<T>(db: Connection, work: () => T): T {
  db.run('PRAGMA synchronous = NORMAL')
  try {
    return inTransaction(db, work)
  } finally {
    db.run('PRAGMA synchronous = FULL')
  }
}
