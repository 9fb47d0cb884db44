import { type JsonObject, memberOf } from '../../core/json.ts'
import { isAlike } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { FormatSummary } from '../input/row.ts'
import type { RowRules } from './make-job.ts'

interface Member {
  readonly name: string
  readonly field: string
  readonly firstLine: number
  count: number
}

interface MatchedFields {
  /** The fields of the row. */
  readonly row: JsonObject
  readonly record: CrmRecord
  readonly line: number
}

/**
 * An export has both a field of crm and the server's member that holds it, such as `email` and `emails`. Once the edited field is
 * written, the member in the file is older than the record: writing it would revert the field.
 */
export class OverruledMembers {
  readonly #members = new Map<string, Member>()
  readonly #overruled: RowRules['overruled']

  constructor(rules: Pick<RowRules, 'overruled'>) {
    this.#overruled = rules.overruled
  }

  /** The changes without members that contradict a field of the row, if the record has the value of that field already. */
  without(changes: JsonObject, { row, record, line }: MatchedFields): JsonObject {
    if (Object.keys(changes).length === 0) return changes
    const kept = { ...changes }
    for (const [name, field] of this.#overruled(row)) {
      if (!Object.hasOwn(changes, name) || !isAlike(memberOf(record, field), memberOf(row, field))) continue
      delete kept[name]
      this.#count(name, field, line)
    }
    return kept
  }

  #count(name: string, field: string, firstLine: number): void {
    const key = `${name} ${field}`
    const member = this.#members.get(key) ?? { name, field, firstLine, count: 0 }
    member.count++
    this.#members.set(key, member)
  }

  /** For people, one line for each member. */
  lines({ columns }: FormatSummary): readonly string[] {
    const columnOf = (name: string) => columns.find(({ field }) => field === name)?.name ?? name
    return [...this.#members.values()].map(({ name, field, firstLine, count }) => {
      const [own, ours] = [columnOf(name), columnOf(field)]
      const where = count === 1 ? `line ${firstLine}` : `${count} rows, first line ${firstLine}`
      return `${own} is left out in ${where}, because ${ours} is written there and has another value; --map ${ours}= leaves out ${ours} instead`
    })
  }
}
