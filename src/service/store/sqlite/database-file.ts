import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CrmError } from '../../../core/errors.ts'
import { errorCode } from '../../../files/error-code.ts'
import { makeFolders } from '../../../files/make-folders.ts'
import { storageFailure } from './storage-failure.ts'

/**
 * Makes an empty file for its owner alone, in a folder that is made the same way, or checks that the one there is a
 * file we may use. SQLite itself would create it with the process's usual mode, and through a link.
 */
export function prepareDatabaseFile(file: string, isCreated: boolean): void {
  try {
    if (isCreated && makeFile(file)) return
    if (!isCreated && !existsSync(file)) {
      throw new CrmError('machine', `there is no database ${file}`, { hint: `crm serve --database ${file}` })
    }
    if (!statSync(file).isFile()) {
      throw new CrmError('machine', `database ${file} is not a file`, { hint: 'name a file with --database' })
    }
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw storageFailure(file, error)
  }
}

/** `wx` fails when anything has the name, a link that leads nowhere included. */
function makeFile(file: string): boolean {
  makeFolders(dirname(file))
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (errorCode(error) !== 'ENOENT') throw error
    // Its folder is there, as with /proc, which takes no files.
    const message = `database ${file} cannot be made: its folder takes no files`
    throw new CrmError('machine', message, { hint: 'name another file with --database', cause: error })
  }
}
