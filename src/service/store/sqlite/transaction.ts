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
