import type { Io } from '../core/streams.ts'
import type { Query } from '../expr/expression.ts'
import type { FieldPath } from './fields.ts'
import type { Format } from './format.ts'

/** Where and how records are shown. */
export interface RecordOutput {
  readonly io: Pick<Io, 'stdout' | 'stderr'>
  readonly format: Format
  /** From `--fields`; undefined shows whole records, or `columns` in a table. */
  readonly fields: readonly FieldPath[] | undefined
  /** The columns of a table, and the first ones of a file, when no fields are named. */
  readonly columns: readonly string[]
  readonly color: boolean
  /** Whether cells that a spreadsheet would run are defused, in csv and tsv. */
  readonly isCsvSafe: boolean
  /**
   * For csv and tsv: every page may bring columns, behind the ones before it. Given the line of heads each time; the lines
   * above then are shorter than the ones below. Undefined: the first page decides.
   */
  readonly onHeads?: ((line: string) => void) | undefined
  /** From `--jq`, for json and jsonl: its results are printed, not the records. */
  readonly query: Query | undefined
}
