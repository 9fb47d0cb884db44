import type { JsonObject } from '../../core/json.ts'
import { Existing, naturalName, type ReadExisting, textOf } from '../plan/existing.ts'
import { type KeyIndex, openKeyIndex } from '../plan/scratch.ts'

/** The number of equal records that are compared at most. */
const MOST_EQUAL = 1000

/**
 * Existing records that are equal to a row. If this machine has no job of an earlier run, only they show that a row was
 * already sent.
 */
export class EqualRecords {
  readonly #existing: Existing
  readonly #taken: KeyIndex
  #count = 0

  private constructor(existing: Existing, taken: KeyIndex) {
    this.#existing = existing
    this.#taken = taken
  }

  /** Undefined when there are no records at all. */
  static async read(parts: Omit<ReadExisting, 'keyOf'>): Promise<EqualRecords | undefined> {
    let count = 0
    const onRead = (more: number) => {
      count += more
      parts.onRead(more)
    }
    const existing = await Existing.read({ ...parts, onRead, keyOf: naturalName, isIdUnused: true })
    if (count > 0) return new EqualRecords(existing, openKeyIndex(parts.folder, 'equal'))
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
  }
}
