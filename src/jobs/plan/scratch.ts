import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'

/** A database for the time of planning, in the folder of the job: what does not fit into memory. Nothing in it is kept. */
export interface Scratch {
  readonly database: DatabaseSync
  close(): void
}

export function openScratch(folder: string, name: string): Scratch {
  const path = join(folder, `${name}.db`)
  try {
    const database = new DatabaseSync(path)
    // Lost with the process, and so is the plan.
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
