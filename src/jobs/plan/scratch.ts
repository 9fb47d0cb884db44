import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'
import { isSqliteError, storeError } from '../store/sqlite-errors.ts'

/**
 * A temporary database in the folder of a draft, for data that does not fit in memory. It does not outlive the process: no journal, no sync,
 * one transaction that is never committed. Pages that do not fit in the cache are still written to the file, of mode 0600. Replaces
 * what a killed process left.
 */
export class Scratch {
  readonly database: DatabaseSync
  readonly #path: string

  constructor(folder: string, name = 'scratch', cacheKib = 24 * 1024) {
    this.#path = join(folder, `${name}.db`)
    try {
      rmSync(this.#path, { force: true })
      closeSync(openSync(this.#path, 'wx', 0o600))
      this.database = new DatabaseSync(this.#path)
      this.database.exec(`
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA cache_size = -${cacheKib};
        BEGIN`)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }

  /** A new table of keys of any length, each with an integer. */
  keys(table: string): KeyIndex {
    const { database } = this
    database.exec(`CREATE TABLE ${table} (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`)
    const add = database.prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?)`)
    const select = database.prepare(`SELECT value FROM ${table} WHERE key = ?`)
    const set = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`)
    const count = database.prepare(
      `INSERT INTO ${table} VALUES (?, 0) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`,
    )
    return {
      getOrSet: (key, value) => (add.run(key, value).changes === 1 ? undefined : Number(select.get(key)?.value)),
      set: (key, value) => set.run(key, value),
      count: (key) => Number(count.get(key)?.value),
    }
  }

  /** Also removes the file. May be called more than once. */
  close(): void {
    if (this.database.isOpen) this.database.close()
    rmSync(this.#path, { force: true })
  }
}

export interface KeyIndex {
  /** The stored value; if there is none, stores this one and returns undefined. */
  getOrSet(key: string, value: number): number | undefined
  /** Replaces a stored value. */
  set(key: string, value: number): void
  /** The number of earlier calls with the key. */
  count(key: string): number
}

/** CrmError `machine` for an error of the disk; any other error unchanged. */
export function planningFailure(error: unknown, folder: string): unknown {
  return (isSqliteError(error) && storeError(error, folder)) || toMachineError(error, folder)
}
