import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { shapeOf } from '../../core/listed-id.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { foldName } from '../input/known-fields.ts'
import { matchKey } from './match-key.ts'

/** `a***@example.com`: the server hides the value. */
const MASKED = /[*•]{2,}/

/**
 * Whether a list shows the members that rows are matched by. A member that all records lack may be new; one that is there but
 * in no record a text or number, or there under a similar name or inside another member, matches nothing.
 */
export class MatchShown {
  readonly #missing: Set<string>
  readonly #hidden = new Map<string, CrmRecord>()
  #first: CrmRecord | undefined

  constructor(names: readonly string[]) {
    this.#missing = new Set(names)
  }

  see(record: CrmRecord): void {
    this.#first ??= record
    for (const name of this.#missing) {
      const key = matchKey(record, [name])
      if (key !== undefined && !MASKED.test(key)) this.#missing.delete(name)
      else if (!this.#hidden.has(name) && isElsewhere(record, name)) this.#hidden.set(name, record)
    }
  }

  /**
   * After the whole list: CrmError `bad_answer` for a member that it has, and in no record as a text or number. With `isMade`
   * the job created records with all members, so none of them is new.
   */
  judge(isMade = false): void {
    const name = [...this.#missing].find((each) => isMade || this.#hidden.has(each))
    const record = name === undefined ? undefined : (this.#hidden.get(name) ?? this.#first)
    if (!record) return
    throw new CrmError(
      'bad_answer',
      `no record of the list has ${name} as a text or number, so no row can be matched by it: ${shapeOf(record)}`,
      { hint: `name a member that the records have (--match NAME), or create every row: import without --match` },
    )
  }
}

/** The member itself, or one of the same name in other letters, in the plural, or one level deeper. */
function isElsewhere(record: CrmRecord, name: string): boolean {
  const folded = foldName(name)
  const isAlike = (member: string) => [folded, `${folded}s`].includes(foldName(member))
  return Object.entries(record).some(
    ([member, value]) => isAlike(member) || (isJsonObject(value) && Object.keys(value).some(isAlike)),
  )
}
