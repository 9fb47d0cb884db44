import { inUse, notEmpty } from '../copy.ts'
import type { Session, Transaction } from '../sql.ts'
import { type Connection, inTransaction } from './connection.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { APPLICATION_ID, COPY_ID, checkIdentity, openDatabase, openFile, originOf } from './open-database.ts'
import { sqlDatabase } from './sql-database.ts'
import { isLockedOut } from './storage-failure.ts'

/** Until `work` ends no other process can open the file; CrmError `machine` if one has it open, as a service has while it runs. */
export async function withSqliteSource<T>(file: string, work: (source: Session) => Promise<T>): Promise<T> {
  let db: Connection
  try {
    db = openDatabase(file, false, true)
  } catch (error) {
    throw isLockedOut(error) ? inUse(file, 'another process has it open') : error
  }
  try {
    return await work(sqlDatabase(db, undefined))
  } finally {
    db.close()
  }
}

/**
 * Opens a missing or empty file, or an unfinished copy of `source`, and marks it as one. No other process can open it until
 * `work` ends, and it becomes a database of crm.
 */
export async function withSqliteTarget<T>(
  file: string,
  source: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const check = (db: Connection): void => {
    if (originOf(db) === source) return
    checkIdentity(db)
    throw notEmpty(db.file)
  }
  // In a write-ahead log, one transaction would need the size of the database again.
  const prepare = (db: Connection): void => db.script('PRAGMA journal_mode = DELETE')
  const db = openFile(file, { isCreated: true, isExclusive: true, check, prepare })
  try {
    inTransaction(db, () => {
      db.script(`DROP TABLE IF EXISTS copy_state; CREATE TABLE copy_state (location TEXT NOT NULL) STRICT;
        PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${COPY_ID}`)
      db.run('INSERT INTO copy_state VALUES (?)', source)
    })
    return await sqlDatabase(db, undefined).transaction('durable', async (tx) => {
      const result = await work(tx)
      await tx.run('DROP TABLE copy_state')
      await tx.run(`PRAGMA application_id = ${APPLICATION_ID}`)
      return result
    })
  } finally {
    db.close()
  }
}
