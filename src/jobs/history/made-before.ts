import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../core/json.ts'
import { createKeyIndex, type KeyIndex } from '../input/key-index.ts'
import { Existing, naturalName, type ReadExisting, textOf } from '../plan/existing.ts'

/** More records that say the same are counted no further. */
const MOST_ALIKE = 1000

/**
 * Records that say exactly what a row says. Where this machine knows nothing of an earlier run, they are all that tells a
 * row that was sent already, by a run whose job folder is lost, from one that was not.
 */
export class MadeBefore {
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
  static async read(parts: Omit<ReadExisting, 'keyOf'>): Promise<MadeBefore | undefined> {
    const path = join(parts.folder, 'alike.db')
    let count = 0
    const onRead = (more: number) => {
      count += more
      parts.onRead(more)
    }
    const existing = await Existing.read({ ...parts, onRead, keyOf: naturalName, isIdUnused: true })
    if (count > 0) return new MadeBefore(existing, await createKeyIndex(path), path)
    existing.close()
    return undefined
  }

  /** How many rows had a record of their own. */
  get count(): number {
    return this.#count
  }

  /** Whether there is a record for this row; each record is that of one row. */
  has(fields: JsonObject): boolean {
    const names = Object.keys(fields).sort()
    const text = textOf(fields, names)
    const alike = this.#existing
      .find(naturalName(fields), MOST_ALIKE)
      .filter(({ record }) => textOf(record, names) === text)
    if (alike.length === 0 || this.#taken.count(text) >= alike.length) return false
    this.#count += 1
    return true
  }

  close(): void {
    this.#existing.close()
    this.#taken.close()
    rmSync(this.#path, { force: true })
  }
}
