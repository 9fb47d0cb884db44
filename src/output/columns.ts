import type { CrmRecord } from '../core/resources/registry.ts'
import { type FieldPath, fieldName } from './fields.ts'
import type { RecordOutput } from './record-output.ts'

/** So many names are told of keys that have no column; a server can make up any number of them. */
const MOST_NAMES = 10

/**
 * The columns of a table: the known ones. Where a server has others instead, those that no record has give way to them:
 * rows of blanks would hide what is there.
 */
export function heldColumns(columns: readonly string[], records: readonly CrmRecord[]): readonly string[] {
  const keys = new Set(records.flatMap((record) => Object.keys(record)))
  const held = columns.filter((name) => keys.has(name))
  if (held.length === columns.length) return columns
  const others = [...keys].filter((name) => !columns.includes(name))
  return others.length === 0 ? columns : [...held, ...others]
}

/** The columns of a file: those of its first page, unless its line of heads can be written once more. */
export interface Columns {
  /** `--fields`, or the known fields and behind them the other keys of the pages that were asked about. */
  paths(page: readonly CrmRecord[]): readonly FieldPath[]
  /** Counts the values of a page that no column holds. */
  count(page: readonly CrmRecord[]): void
  notes(): readonly string[]
}

export function createColumns({ fields, columns }: Pick<RecordOutput, 'fields' | 'columns'>): Columns {
  const known = new Set<string>(columns)
  const latecomers = new Set<string>()
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
          if (latecomers.size < MOST_NAMES) latecomers.add(key)
        }
      }
    },
    notes() {
      if (left === 0) return []
      const names = [...latecomers].map((key) => fieldName([key])).join(', ')
      return [`${left} values are in no column, their keys came after the first page: ${names}; choose with --fields`]
    },
  }
}
