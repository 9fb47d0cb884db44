import type { KeyIndex } from './key-index.ts'
import type { Findings, InputRow } from './row.ts'

export interface DuplicateRules {
  /** Empty, and of nothing else: it holds the lines. */
  readonly index: KeyIndex
  readonly findings: Findings
  /** `email`, as `--match` has it. */
  readonly column: string
  /** Folded as existing records are; undefined for a row without one. */
  readonly keyOf: (row: InputRow) => string | undefined
}

/** Leaves out rows whose key an earlier one has, and says so with both lines: they would fight over one record. */
export function createDuplicateCheck(rules: DuplicateRules): (rows: readonly InputRow[]) => readonly InputRow[] {
  const { index, findings, column, keyOf } = rules
  return (rows) =>
    rows.filter((row) => {
      const key = keyOf(row)
      const firstLine = key === undefined ? undefined : index.getOrSet(key, row.line)
      if (firstLine === undefined) return true
      const { line, offset } = row
      const message = `line ${firstLine} has the same ${column}`
      findings.add({ line, offset, column, value: key, code: 'duplicate_key', message })
      return false
    })
}
