import { closeSync, fsyncSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../../core/errors.ts'
import { syncFolder, toMachineError } from '../../../files/machine-error.ts'
import { renamePath } from '../../../files/replace-file.ts'
import { openToRead } from './read-database.ts'
import { storageFailure } from './storage-failure.ts'

const SQLITE_CORRUPT = 11

/**
 * Copies a consistent state of a database while services write to it. Uses VACUUM INTO, which reads in one transaction:
 * SQLite's backup interface restarts at every commit of another process and may never end. The copy is checked before it is
 * renamed. CrmError `machine` when it cannot be made.
 */
export async function backUpDatabase(file: string, target: string): Promise<{ readonly sizeBytes: number }> {
  checkNew(target)
  const source = openToRead(file)
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}`)
  try {
    // VACUUM INTO accepts an empty file; SQLite itself would create one that others can read.
    closeSync(openSync(temporary, 'wx', 0o600))
    source.run('VACUUM INTO ?', temporary)
    checkCopy(temporary)
    syncFile(temporary)
    await renamePath(temporary, target)
    await syncFolder(dirname(target))
    return { sizeBytes: statSync(target).size }
  } catch (error) {
    rmSync(temporary, { force: true })
    const failure = toMachineError(error, target)
    throw failure === error ? storageFailure(isDamage(error) ? file : target, error) : failure
  } finally {
    source.close()
  }
}

/** A dangling link counts as existing. */
export function checkNew(target: string): void {
  try {
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return
  } catch (error) {
    throw toMachineError(error, target)
  }
  throw new CrmError('machine', `${target} exists, and is not replaced`, { hint: 'name another file' })
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CORRUPT
}

/** Otherwise damage in the source would be found only on restore. */
function checkCopy(path: string): void {
  const copy = new DatabaseSync(path, { readOnly: true })
  try {
    const [first] = copy.prepare('PRAGMA integrity_check(1)').all()
    if (first?.integrity_check === 'ok') return
    throw new CrmError('machine', `the database is damaged: ${String(first?.integrity_check)}`, {
      hint: 'keep its files unchanged, and restore an earlier backup',
    })
  } finally {
    copy.close()
  }
}

function syncFile(path: string): void {
  // Windows syncs no file that is open for reading alone.
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
