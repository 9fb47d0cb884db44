import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'

/** Result codes of SQLite (sqlite.org/rescode.html) that are errors of the disk. */
const DISK_ERRORS: Readonly<Record<number, string>> = {
  8: 'it cannot be written',
  10: 'the disk reports an input/output error',
  13: 'no space left on the disk',
  14: 'a file in it cannot be opened',
}

/** A temporary database in the folder of the job, for data that does not fit in memory. */
export interface Scratch {
  readonly database: DatabaseSync
  close(): void
}

export function openScratch(folder: string, name: string): Scratch {
  const path = join(folder, `${name}.db`)
  try {
    const database = new DatabaseSync(path)
    // After a crash it is useless, like the unfinished plan.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000; BEGIN')
    return {
      database,
      close: () => {
        database.close()
        rmSync(path, { force: true })
      },
    }
  } catch (error) {
    throw toMachineError(error, path)
  }
}

/** CrmError `machine` for an error of the disk; any other error unchanged. */
export function planningFailure(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  const trouble = DISK_ERRORS[code]
  if (trouble === undefined) return toMachineError(error, folder)
  return new CrmError('machine', `cannot use ${folder}: ${trouble}`, {
    hint: 'free some space, or name another place with CRM_STATE_HOME; nothing was sent',
    cause: error,
  })
}
