import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../../core/errors.ts'
import { toMachineError } from '../../../files/machine-error.ts'
import { openToRead } from './read-database.ts'
import { storageFailure } from './storage-failure.ts'

const SQLITE_CORRUPT = 11

/**
 * Copies a database at one moment; services go on writing to it. VACUUM INTO, because it reads in one
 * transaction: SQLite's backup interface starts over with every commit of another process, and so may never end. The copy
 * is checked before it gets its name. CrmError `machine` for what stands in the way.
 */
export async function backUpDatabase(file: string, target: string): Promise<{ readonly sizeBytes: number }> {
  // A link that leads nowhere is there too.
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw new CrmError('machine', `${target} is there already, and a backup replaces nothing`, {
      hint: 'name another file',
    })
  }
  const source = openToRead(file)
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}`)
  try {
    // An empty file of our own is taken; SQLite would make one that others can read.
    closeSync(openSync(temporary, 'wx', 0o600))
    source.run('VACUUM INTO ?', temporary)
    checkCopy(temporary)
    syncPath(temporary)
    renameSync(temporary, target)
    syncPath(dirname(target))
    return { sizeBytes: statSync(target).size }
  } catch (error) {
    rmSync(temporary, { force: true })
    const failure = toMachineError(error, target)
    throw failure === error ? storageFailure(isDamage(error) ? file : target, error) : failure
  } finally {
    source.close()
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CORRUPT
}

/** Damage in the source would come to light with the restore, when it is too late. */
function checkCopy(path: string): void {
  const copy = new DatabaseSync(path, { readOnly: true })
  try {
    const [first] = copy.prepare('PRAGMA integrity_check(1)').all()
    if (first?.integrity_check === 'ok') return
    throw new CrmError('machine', `the database is damaged: ${String(first?.integrity_check)}`, {
      hint: 'keep its files as they are, and restore an earlier backup',
    })
  } finally {
    copy.close()
  }
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
