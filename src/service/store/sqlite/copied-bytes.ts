import { randomUUID } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import { toMachineError } from '../../../files/machine-error.ts'
import { backUpDatabase } from './backup.ts'

// Backups through a pipe. They pass through a file beside the database, which only its owner can read, and which is removed.

export async function* copiedBytes(database: string): AsyncGenerator<Uint8Array, void, undefined> {
  const temporary = temporaryBeside(database)
  try {
    await backUpDatabase(database, temporary)
    yield* createReadStream(temporary, { highWaterMark: 1024 * 1024 })
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * The copy of a backup is made as a backup is: it is checked and synced before it gets its name, and replaces nothing. The backup
 * itself is not opened, because that would bring an older one to the present schema.
 */
export async function restoreDatabase(
  backup: string | AsyncIterable<Uint8Array | string>,
  target: string,
): Promise<{ readonly sizeBytes: number }> {
  const temporary = temporaryBeside(target)
  try {
    await writeAll(temporary, typeof backup === 'string' ? bytesOf(backup) : backup)
    return await backUpDatabase(temporary, target)
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${temporary}${end}`, { force: true })
  }
}

/** CrmError `machine` for a database in use, whose last writes stand in another file. */
async function* bytesOf(backup: string): AsyncGenerator<Uint8Array, void, undefined> {
  if ((statSync(`${backup}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new CrmError('machine', `${backup} is in use, or was not closed: it has a write-ahead log`, {
      hint: `crm serve backup FILE --database ${shellWord(backup)}`,
    })
  }
  try {
    yield* createReadStream(backup)
  } catch (error) {
    throw toMachineError(error, backup)
  }
}

async function writeAll(path: string, bytes: AsyncIterable<Uint8Array | string>): Promise<void> {
  let sizeBytes = 0
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of bytes) {
        await file.appendFile(chunk)
        sizeBytes += chunk.length
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toMachineError(error, path)
  }
  // SQLite takes an empty file for a new database.
  if (sizeBytes === 0) throw new CrmError('machine', 'the backup is empty', { hint: 'name another backup' })
}

function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}`)
}
