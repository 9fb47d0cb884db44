import { CrmError } from '../../core/errors.ts'
import { shapeOf } from '../../core/listed-id.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { matchKey } from '../match-key.ts'

/** `a***@example.com`: the server hides the value. */
const MASKED = /[*•]{2,}/

/** Whether a list shows the members that rows are matched by: one that no record has as a text or number matches nothing. */
export class MatchShown {
  readonly #missing: Set<string>
  #first: CrmRecord | undefined

  constructor(names: readonly string[]) {
    this.#missing = new Set(names)
  }

  see(record: CrmRecord): void {
    this.#first ??= record
    for (const name of this.#missing) {
      const key = matchKey(record, [name])
      if (key !== undefined && !MASKED.test(key)) this.#missing.delete(name)
    }
  }

  /** After the whole list: CrmError `bad_answer` where it has records, and none of them has a member to match by. */
  judge(): void {
    const [name] = this.#missing
    if (this.#first === undefined || name === undefined) return
    throw new CrmError(
      'bad_answer',
      `no record of the list has ${name} as a text or number, so no row can be matched by it: ${shapeOf(this.#first)}`,
      { hint: `name a member that the records have (--match NAME), or create every row: import without --match` },
    )
  }
}
