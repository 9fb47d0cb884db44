import type { CrmRecord } from '../core/resources/registry.ts'
import { type FieldPath, fieldName } from './fields.ts'
import type { RecordOutput } from './record-output.ts'

/** At most this many keys without a column are named; a server can send any number. */
const MOST_NAMES = 10

/**
 * The columns of a table: the known ones. When a server sends other members instead, these replace the known columns that no
 * record has.
 */
export function heldColumns(columns: readonly string[], records: readonly CrmRecord[]): readonly string[] {
  const keys = new Set(records.flatMap((record) => Object.keys(record)))
  const held = columns.filter((name) => keys.has(name))
  if (held.length === columns.length) return columns
  const others = [...keys].filter((name) => !columns.includes(name))
  return others.length === 0 ? columns : [...held, ...others]
}

/** The columns of a file: those of its first page, unless its header row can be written again. */
export interface Columns {
  /** `--fields`, or the known fields followed by the other keys of the pages passed so far. */
  paths(page: readonly CrmRecord[]): readonly FieldPath[]
  /** Counts the values of a page that have no column. */
  count(page: readonly CrmRecord[]): void
  notes(): readonly string[]
}

export function createColumns({ fields, columns }: Pick<RecordOutput, 'fields' | 'columns'>): Columns {
  const known = new Set<string>(columns)
  const lateKeys = new Set<string>()
  let left = 0
  return {
    paths(page) {
      if (fields) return fields
      for (const record of page) for (const key of Object.keys(record)) known.add(key)
      return [...known].map((key) => [key])
    },
    count(page) {
      if (fields) return
      for (const record of page) {
        for (const key of Object.keys(record)) {
          if (known.has(key)) continue
          left++
          if (lateKeys.size < MOST_NAMES) lateKeys.add(key)
        }
      }
    },
    notes() {
      if (left === 0) return []
      const names = [...lateKeys].map((key) => fieldName([key])).join(', ')
      return [
        `${left} values have no column, because their keys are not in the first page: ${names}; choose with --fields`,
      ]
    },
  }
}
