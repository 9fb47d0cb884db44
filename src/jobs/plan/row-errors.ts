import { RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { InputRow, RefusedRow, RowFinding, RowSource } from '../input/row.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'

/** `--max-rejects`: undefined accepts any number. */
export type MostRejects = { readonly rows: number } | { readonly part: number } | undefined

/** Where rows with errors go. */
export interface RowErrors {
  /** For the pass over the rows from which the plan is made. */
  readonly onRefused: ((row: RefusedRow) => void) | undefined
  /** An error that planning found in a valid row. */
  add(row: InputRow, finding: RowFinding): void
}

interface ErrorParts {
  readonly noun: JobNoun
  readonly source: Pick<RowSource, 'findings'>
  readonly builder: PlanBuilder
  /** Rows with errors become operations that fail; otherwise an error refuses the input. */
  readonly isRejecting: boolean
}

export function createRowErrors({ noun, source, builder, isRejecting }: ErrorParts): RowErrors {
  const reject = (row: RefusedRow) => builder.reject(RESOURCES[resourceOf(noun)].path, row)
  return {
    onRefused: isRejecting ? reject : undefined,
    add: (row, finding) => {
      const { position } = row
      source.findings.add({ ...finding, ...(position !== undefined && { position }) })
      if (isRejecting) reject({ ...row, findings: [finding] })
    },
  }
}

/** Whether more rows have errors than `--max-rejects` accepts. */
export function areTooMany({ rows, rejected }: PlanBuilder['counts'], most: MostRejects): boolean {
  if (!most) return false
  return rejected > ('rows' in most ? most.rows : most.part * rows)
}
