import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../core/json.ts'
import { createKeyIndex, type KeyIndex } from '../input/key-index.ts'
import { Existing, naturalName, type ReadExisting, textOf } from '../plan/existing.ts'

/** The number of equal records that are compared at most. */
const MOST_EQUAL = 1000

/**
 * Existing records that are equal to a row. If this machine has no job of an earlier run, only they show that a row was
 * already sent.
 */
export class EqualRecords {
  readonly #existing: Existing
  readonly #taken: KeyIndex
  readonly #path: string
  #count = 0

  private constructor(existing: Existing, taken: KeyIndex, path: string) {
    this.#existing = existing
    this.#taken = taken
    this.#path = path
  }

  /** Undefined when there are no records at all. */
  static async read(parts: Omit<ReadExisting, 'keyOf'>): Promise<EqualRecords | undefined> {
    const path = join(parts.folder, 'equal.db')
    let count = 0
    const onRead = (more: number) => {
      count += more
      parts.onRead(more)
    }
    const existing = await Existing.read({ ...parts, onRead, keyOf: naturalName, isIdUnused: true })
    if (count > 0) return new EqualRecords(existing, await createKeyIndex(path), path)
    existing.close()
    return undefined
  }

  /** The number of rows with an equal record. */
  get count(): number {
    return this.#count
  }

  /** Whether an equal record exists; each record counts for one row. */
  has(fields: JsonObject): boolean {
    const names = Object.keys(fields).sort()
    const text = textOf(fields, names)
    const equal = this.#existing
      .find(naturalName(fields), MOST_EQUAL)
      .filter(({ record }) => textOf(record, names) === text)
    if (equal.length === 0 || this.#taken.count(text) >= equal.length) return false
    this.#count += 1
    return true
  }

  close(): void {
    this.#existing.close()
    this.#taken.close()
    rmSync(this.#path, { force: true })
  }
}
