import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import { type Connection, connect } from './connection.ts'
import { checkIdentity, OPENING_TIMEOUT_MS, openDatabase } from './open-database.ts'
import { storageFailure } from './storage-failure.ts'

/**
 * Opens a crm database for inspection, also without write permission and while services use it. Without write permission
 * the write-ahead log cannot be created, and without writers it is not needed.
 */
export function openToRead(name: string): Connection {
  const file = resolve(name)
  // With write permission: a read-only connection that closes last would leave the log.
  if (!existsSync(file) || (isWritable(file) && isWritable(dirname(file)))) return openDatabase(name, false)
  try {
    if (!statSync(file).isFile()) return openDatabase(name, false)
    accessSync(file, constants.R_OK)
    const db = connect(openReadOnly(file), file)
    try {
      checkIdentity(db, 'read-only')
    } catch (error) {
      db.close()
      throw error
    }
    return db
  } catch (error) {
    throw storageFailure(file, error)
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function openReadOnly(file: string): DatabaseSync {
  if (!existsSync(`${file}-wal`)) {
    // Otherwise SQLite would try to create the log (https://sqlite.org/wal.html#readonly). A service that starts meanwhile can
    // make this read fail, but no data is damaged.
    const address = pathToFileURL(file)
    address.searchParams.set('immutable', '1')
    return new DatabaseSync(address, { readOnly: true })
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: OPENING_TIMEOUT_MS })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch (cause) {
    database.close()
    const message = `database ${file} cannot be read without its log ${file}-wal`
    throw new CrmError('machine', message, { cause, hint: `check the permissions: ls -l ${shellWord(file)}*` })
  }
}
