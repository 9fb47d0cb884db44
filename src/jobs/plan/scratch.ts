import { hash } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'
import { isSqliteError, storeError } from '../store/sqlite-errors.ts'

/** A temporary database in the folder of the job, for data that does not fit in memory. */
export interface Scratch {
  readonly database: DatabaseSync
  /** Also removes the file. */
  close(): void
}

/**
 * A database that does not outlive the process: no journal, no sync, one transaction that is never committed. Pages that do not
 * fit in the cache are still written to the file, of mode 0600. Replaces what a killed process left.
 */
export function openScratch(folder: string, name: string, cacheKib = 4000): Scratch {
  const path = join(folder, `${name}.db`)
  try {
    rmSync(path, { force: true })
    closeSync(openSync(path, 'wx', 0o600))
    const database = new DatabaseSync(path)
    database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = -${cacheKib};
      BEGIN`)
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
  return (isSqliteError(error) && storeError(error, folder)) || toMachineError(error, folder)
}

/** Maps keys of any length to integers, on disk: memory does not grow with the number of keys. */
export interface KeyIndex {
  /** The stored value; if there is none, stores this one and returns undefined. */
  getOrSet(key: string, value: number): number | undefined
  /** Replaces a stored value. */
  set(key: string, value: number): void
  /** Adds one, and returns the count before: 0 for a new key. */
  count(key: string): number
  /** Also removes the file. */
  close(): void
}

/** Holds some hundred thousand keys; with more of them, a lookup reads the file. */
const CACHE_KIB = 8 * 1024

export function openKeyIndex(folder: string, name: string, cacheKib: number = CACHE_KIB): KeyIndex {
  const { database, close } = openScratch(folder, name, cacheKib)
  database.exec('CREATE TABLE keys (slot INTEGER PRIMARY KEY, mark INTEGER NOT NULL, value INTEGER NOT NULL)')
  const select = database.prepare('SELECT mark, value FROM keys WHERE slot = ?')
  select.setReturnArrays(true)
  const insert = database.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE keys SET value = ? WHERE slot = ?')

  /** Inserts first, because most keys are new. Keys with the same slot take consecutive slots. */
  const findOrInsert = (key: string, value: number): { readonly slot: number; readonly before: number | undefined } => {
    const { mark, slot: first } = digestOf(key)
    for (let slot = first; ; slot++) {
      if (insert.run(slot, mark, value).changes === 1) return { slot, before: undefined }
      const [stored, before] = select.get(slot) as unknown as readonly [mark: number, value: number]
      if (stored === mark) return { slot, before }
    }
  }
  return {
    getOrSet: (key, value) => findOrInsert(key, value).before,
    set: (key, value) => {
      const { slot, before } = findOrInsert(key, value)
      if (before !== undefined) update.run(value, slot)
    },
    count: (key) => {
      const { slot, before = 0 } = findOrInsert(key, 1)
      if (before > 0) update.run(before + 1, slot)
      return before
    },
    close,
  }
}

/** 52 and 48 bits of SHA-256: two of ten million keys collide in one of 10^16 indexes. */
function digestOf(key: string): { readonly slot: number; readonly mark: number } {
  // A string, because a million small buffers hold 30 MB of memory that is freed late.
  const hex = hash('sha256', key, 'hex')
  return { slot: Number.parseInt(hex.slice(0, 13), 16), mark: Number.parseInt(hex.slice(13, 25), 16) }
}
