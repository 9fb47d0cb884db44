import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { toMachineError } from '../../files/machine-error.ts'
import type { Findings, InputRow } from './row.ts'

/** Maps keys of any length to integers, on disk: memory does not grow with the number of keys. */
export interface KeyIndex {
  get(key: string): number | undefined
  set(key: string, value: number): void
  /** The stored value; if there is none, stores this one and returns undefined. */
  getOrSet(key: string, value: number): number | undefined
  /** Adds one, and returns the count before: 0 for a new key. */
  count(key: string): number
  close(): void
}

/** Holds some hundred thousand keys; with more of them, a lookup reads the file. */
const CACHE_KIB = 8 * 1024

/**
 * The index does not outlive the process: no journal, no sync, one transaction that is never committed. Pages that do not fit
 * in the cache are still written to the file.
 */
const SETTINGS = (cacheKib: number) => `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -${cacheKib};
  CREATE TABLE keys (slot INTEGER PRIMARY KEY, mark INTEGER NOT NULL, value INTEGER NOT NULL);
  BEGIN;
`

/** Creates a file of mode 0600, which must not exist. After `close` it is useless, and the caller removes it. */
export async function createKeyIndex(path: string, cacheKib: number = CACHE_KIB): Promise<KeyIndex> {
  try {
    await using _ = await open(path, 'wx', 0o600)
  } catch (error) {
    throw toMachineError(error, path)
  }
  const db = new DatabaseSync(path)
  db.exec(SETTINGS(cacheKib))
  const select = db.prepare('SELECT mark, value FROM keys WHERE slot = ?')
  select.setReturnArrays(true)
  const insert = db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE keys SET value = ? WHERE slot = ?')

  const rowAt = (slot: number) => select.get(slot) as unknown as readonly [mark: number, value: number] | undefined
  /** Inserts first, because most keys are new. Keys with the same slot take consecutive slots. */
  const findOrInsert = (key: string, value: number): { readonly slot: number; readonly before: number | undefined } => {
    const { mark, slot: first } = digestOf(key)
    for (let slot = first; ; slot++) {
      if (insert.run(slot, mark, value).changes === 1) return { slot, before: undefined }
      const [stored, before] = rowAt(slot) ?? []
      if (stored === mark) return { slot, before }
    }
  }
  return {
    get: (key) => {
      const { mark, slot: first } = digestOf(key)
      for (let slot = first; ; slot++) {
        const row = rowAt(slot)
        if (!row || row[0] === mark) return row?.[1]
      }
    },
    set: (key, value) => {
      const { slot, before } = findOrInsert(key, value)
      if (before !== undefined) update.run(value, slot)
    },
    getOrSet: (key, value) => findOrInsert(key, value).before,
    count: (key) => {
      const { slot, before = 0 } = findOrInsert(key, 1)
      if (before > 0) update.run(before + 1, slot)
      return before
    },
    close: () => db.close(),
  }
}

/** 52 and 48 bits of SHA-256: two of ten million keys collide in one of 10^16 indexes. */
function digestOf(key: string): { readonly slot: number; readonly mark: number } {
  // A string, because a million small buffers hold 30 MB of memory that is freed late.
  const hex = hash('sha256', key, 'hex')
  return { slot: Number.parseInt(hex.slice(0, 13), 16), mark: Number.parseInt(hex.slice(13, 25), 16) }
}

interface DuplicateRules {
  /** An empty index for this check alone; it holds lines. */
  readonly index: KeyIndex
  readonly findings: Findings
  /** `email`, from `--match`. */
  readonly column: string
  /** The folded key; undefined for a row without one. */
  readonly keyOf: (row: InputRow) => string | undefined
}

/** Drops a row whose key an earlier row has, with a finding that names both lines: both would write the same record. */
export function createDuplicateCheck(rules: DuplicateRules): (rows: readonly InputRow[]) => readonly InputRow[] {
  const { index, findings, column, keyOf } = rules
  return (rows) =>
    rows.filter((row) => {
      const key = keyOf(row)
      const firstLine = key === undefined ? undefined : index.getOrSet(key, row.line)
      if (firstLine === undefined) return true
      const { line, offset } = row
      const message = `line ${firstLine} has the same ${column}`
      findings.add({ line, offset, column, value: key, code: 'duplicate_key', message })
      return false
    })
}
