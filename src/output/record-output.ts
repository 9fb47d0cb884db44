import type { Io } from '../core/streams.ts'
import type { FieldPath } from './fields.ts'
import type { Format } from './format.ts'

/** Where and how records are shown. */
export interface RecordOutput {
  readonly io: Pick<Io, 'stdout' | 'stderr'>
  readonly format: Format
  /** From `--fields`; undefined shows whole records, or `columns` in a table. */
  readonly fields: readonly FieldPath[] | undefined
  /** The columns of a table when no fields are named. */
  readonly columns: readonly string[]
  readonly color: boolean
}
