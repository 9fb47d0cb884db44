import { CrmError } from '../core/errors.ts'

/** A block and a name share one number of 53 bits. */
const MOST_NAMES = 2 ** 22
const HASHES = 2 ** 31

/** Names by the blocks that they are in, as one sorted array of numbers: a map of texts would take more memory than all names. */
export class Blocks {
  #entries = new Float64Array(1 << 12)
  #count = 0

  /** CrmError `not_supported` for the name after the 4,194,304th. */
  put(block: readonly string[], name: number): void {
    if (name >= MOST_NAMES) {
      throw new CrmError('not_supported', `more than ${MOST_NAMES} different names are too many for ~`, {
        hint: 'choose some of the records with --where, or compare them without ~',
      })
    }
    if (this.#count === this.#entries.length) {
      const longer = new Float64Array(2 * this.#count)
      longer.set(this.#entries)
      this.#entries = longer
    }
    this.#entries[this.#count++] = hashOf(block) * MOST_NAMES + name
  }

  /** The names of each block that has several. Two blocks of one hash come as one, which costs comparisons and finds no less. */
  *shared(): Generator<readonly number[]> {
    const sorted = this.#entries.subarray(0, this.#count).sort()
    let names: number[] = []
    let block = -1
    for (const entry of sorted) {
      const own = Math.floor(entry / MOST_NAMES)
      if (own !== block) {
        if (names.length > 1) yield names
        names = []
        block = own
      }
      const name = entry - own * MOST_NAMES
      if (name !== names.at(-1)) names.push(name)
    }
    if (names.length > 1) yield names
  }
}

/** FNV-1a over the texts, each with an end. */
function hashOf(texts: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash, 0x01000193)
  }
  return (hash >>> 0) % HASHES
}
