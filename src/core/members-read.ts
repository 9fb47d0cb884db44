import { CrmError } from './errors.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { nearest } from './nearest.ts'
import type { CrmRecord } from './resources/registry.ts'

/** A member that an expression or a flag reads from records. */
export interface MemberUse {
  /** The flag, such as `--where`. */
  readonly flag: string
  /** The names of its path, starting at the record. */
  readonly path: readonly string[]
  /** A member whose name is the dotted path counts, too. */
  readonly isDotted?: boolean
  /** The record may lack it, unless its name resembles that of another member. */
  readonly mayBeAbsent?: boolean
  /** What to type when the name is right. */
  readonly ifMeant?: string
}

interface Sought extends MemberUse {
  /** For each name of the path: whether a record has the object that would contain it. */
  readonly wasAsked: boolean[]
  /** The longest part of the path that a record has. */
  found: number
}

/** The maximum number of names kept for suggestions. */
const MOST_NAMES = 500

/** Finds out which used members no record has. */
export class MembersRead {
  readonly #names = new Set<string>()
  #sought: readonly Sought[]

  constructor(uses: readonly MemberUse[]) {
    this.#sought = uses.map((use) => ({ ...use, wasAsked: [], found: 0 }))
  }

  see(records: readonly CrmRecord[]): void {
    for (const record of records) {
      if (this.#sought.length === 0) return
      for (const sought of this.#sought) look(record, sought)
      this.#sought = this.#sought.filter(({ found, path }) => found < path.length)
      if (this.#names.size < MOST_NAMES) for (const name of Object.keys(record)) this.#names.add(name)
    }
  }

  /** The members that no record has, although a record has the object that would contain them. */
  missing(): readonly MemberUse[] {
    return this.#sought.filter(({ wasAsked, found }) => wasAsked[found])
  }

  /**
   * CrmError `usage` for members that no record has; undefined when there are none, or no records. A member in `described` may
   * be missing in all records; `labelled` finds the name of one by its label.
   */
  slip(
    plural: string,
    described: ReadonlySet<string>,
    labelled: (label: string) => string | undefined = () => undefined,
  ): CrmError | undefined {
    const known = [...this.#names, ...described]
    const meantBy = ({ path: [name = '', ...more] }: MemberUse) =>
      more.length === 0 ? (labelled(name) ?? nearest(name, known)) : undefined
    const [first, ...others] = this.missing().filter(
      (use) => !described.has(use.path[0] ?? '') && !(use.mayBeAbsent && meantBy(use) === undefined),
    )
    if (!first) return undefined
    const name = first.path.join('.')
    const meant = meantBy(first)
    const rest = [...new Set(others.map(({ path }) => path.join('.')))].filter((each) => each !== name)
    const also = rest.length === 0 ? '' : `, nor ${rest.join(', ')}`
    const hints = [meant && `did you mean ${meant}?`, first.ifMeant].filter((hint) => hint !== undefined)
    return new CrmError('usage', `${first.flag}: none of the ${plural} that were read has the member ${name}${also}`, {
      hint: hints.join(' ') || `see what they have: crm ${plural} list --limit 1 -o json`,
    })
  }
}

function look(record: CrmRecord, sought: Sought): void {
  if (sought.isDotted && Object.hasOwn(record, sought.path.join('.'))) sought.found = sought.path.length
  let value: JsonValue | undefined = record
  for (const [at, name] of sought.path.entries()) {
    if (!isJsonObject(value)) return
    sought.wasAsked[at] = true
    if (!Object.hasOwn(value, name)) return
    value = value[name]
    sought.found = Math.max(sought.found, at + 1)
  }
}
