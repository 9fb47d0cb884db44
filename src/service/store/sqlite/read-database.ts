import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { type Connection, connect } from './connection.ts'
import { checkIdentity, OPENING_TIMEOUT_MS, openDatabase } from './open-database.ts'
import { storageFailure } from './storage-failure.ts'

/**
 * For looking at a database of ours. Who may not write it opens it for reading, beside services that run on it or without:
 * the log that a write-ahead database needs cannot be made then, and is not needed without writers.
 */
export function openToRead(name: string): Connection {
  const file = resolve(name)
  // Who may write does: a read-only connection that is the last one leaves the log behind it.
  if (!existsSync(file) || (isWritable(file) && isWritable(dirname(file)))) return openDatabase(name, false)
  try {
    if (!statSync(file).isFile()) return openDatabase(name, false)
    accessSync(file, constants.R_OK)
    const db = connect(openReadOnly(file), file)
    try {
      checkIdentity(db, 'as it is')
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
    // Otherwise SQLite would set out to make the log (https://sqlite.org/wal.html#readonly). A service that starts while this
    // is read may have it fail, never write wrongly.
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
    const message = `database ${file} cannot be read without the log beside it, ${file}-wal`
    throw new CrmError('machine', message, { cause, hint: `see who may: ls -l ${shellWord(file)}*` })
  }
}
