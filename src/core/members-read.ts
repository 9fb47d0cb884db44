import { CrmError } from './errors.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { nearest } from './nearest.ts'
import type { CrmRecord } from './resources/registry.ts'

/** A member that a command line takes from the records it reads. */
export interface MemberUse {
  /** Where it was typed, such as `--where`. */
  readonly flag: string
  /** The names that lead to it, from the record on. */
  readonly path: readonly string[]
  /** What to type where the name is right. */
  readonly ifMeant?: string
}

interface Sought extends MemberUse {
  /** At each name of the path: whether an object was there to have it. */
  readonly wasAsked: boolean[]
  /** How many names of the path some record had. */
  found: number
}

/** So many names are kept to tell what may be meant. */
const MOST_NAMES = 500

/** Which of the members that are used the records that were read had. */
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

  /** Those that no record had, although one was there to have it. */
  missing(): readonly MemberUse[] {
    return this.#sought.filter(({ wasAsked, found }) => wasAsked[found])
  }

  /**
   * CrmError `usage` for members that no record has; undefined where all are there, or nothing is known. What is described,
   * of the record itself, is no slip.
   */
  slip(plural: string, described: ReadonlySet<string>): CrmError | undefined {
    const [first, ...others] = this.missing().filter(({ path }) => !described.has(path[0] ?? ''))
    if (!first) return undefined
    const name = first.path.join('.')
    const meant = first.path.length === 1 ? nearest(name, [...this.#names, ...described]) : undefined
    const rest = [...new Set(others.map(({ path }) => path.join('.')))].filter((each) => each !== name)
    const also = rest.length === 0 ? '' : `, nor ${rest.join(', ')}`
    const hints = [meant && `did you mean ${meant}?`, first.ifMeant].filter((hint) => hint !== undefined)
    return new CrmError('usage', `${first.flag}: none of the ${plural} that were read has the member ${name}${also}`, {
      hint: hints.join(' ') || `see what they have: crm ${plural} list --limit 1 -o json`,
    })
  }
}

function look(record: CrmRecord, sought: Sought): void {
  let value: JsonValue | undefined = record
  for (const [at, name] of sought.path.entries()) {
    if (!isJsonObject(value)) return
    sought.wasAsked[at] = true
    if (!Object.hasOwn(value, name)) return
    value = value[name]
    sought.found = Math.max(sought.found, at + 1)
  }
}
