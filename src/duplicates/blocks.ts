import { CrmError } from '../core/errors.ts'
import { GrowingNumbers } from './growing-numbers.ts'
import { joinedHash } from './texts.ts'

/** A block and a name share one number of 53 bits. */
const MOST_NAMES = 2 ** 22

/** Names by the blocks that they are in, as one sorted array of numbers: a map of texts would take more memory than all names. */
export class Blocks {
  readonly #entries = new GrowingNumbers()

  /** `block`: hashes of what its names share. CrmError `not_supported` for the name after the 4,194,304th. */
  put(block: readonly number[], name: number): void {
    if (name >= MOST_NAMES) {
      throw new CrmError('not_supported', `more than ${MOST_NAMES} different names are too many for ~`, {
        hint: 'choose some of the records with --where, or compare them without ~',
      })
    }
    this.#entries.push(joinedHash(block) * MOST_NAMES + name)
  }

  /** The names of each block that has several; no block is left. Two blocks of one hash come as one, which costs comparisons and finds no less. */
  *takeShared(): Generator<readonly number[]> {
    let names: number[] = []
    let block = -1
    for (const entry of this.#entries.takeSorted()) {
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
