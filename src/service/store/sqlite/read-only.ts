import { accessSync, constants, existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'

/** How long a statement waits for another process. */
export const WAIT_MS = 5000

/** Whether this user may write to a file or folder. */
export function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Opens a file of a folder in which nothing can be written. */
export function openReadOnly(file: string): DatabaseSync {
  if (!existsSync(`${file}-wal`)) {
    // Otherwise SQLite would try to create the log (https://sqlite.org/wal.html#readonly). A service that starts meanwhile can
    // make this read fail, but no data is damaged.
    const address = pathToFileURL(file)
    address.searchParams.set('immutable', '1')
    return new DatabaseSync(address, { readOnly: true })
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: WAIT_MS })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return database
  } catch (cause) {
    database.close()
    const message = `database ${file} cannot be read without its log ${file}-wal`
    throw new CrmError('machine', message, { cause, hint: `check the permissions: ls -l ${shellWord(file)}*` })
  }
}
