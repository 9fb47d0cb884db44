import type { CrmRecord } from '../core/resources/registry.ts'
import type { Io } from '../core/streams.ts'
import type { Query } from '../expr/expression.ts'
import type { FieldPath } from './fields.ts'

export const OUTPUT_FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const

/** How records are printed, and where. */
export interface RecordOutput {
  readonly io: Pick<Io, 'stdout' | 'stderr'>
  readonly format: Format
  /** From `--fields`; undefined prints whole records, or `columns` in a table. */
  readonly fields: readonly FieldPath[] | undefined
  /** The columns of a table, and the first columns of a file, without `--fields`. */
  readonly columns: readonly string[]
  readonly color: boolean
  /** Whether all records are there before the first is printed; a table is then laid out by cli-table3. */
  readonly isWhole?: boolean
  /** Whether cells that a spreadsheet would evaluate are defused, in csv and tsv. */
  readonly isCsvSafe: boolean
  /**
   * For csv and tsv: every page may add columns after the earlier ones. Called with the new header row each time; earlier
   * lines are then shorter than later ones. Undefined: the first page determines the columns.
   */
  readonly onHeader?: ((line: string) => void) | undefined
  /** From `--jq`, for json and jsonl: its results are printed instead of the records. */
  readonly query: Query | undefined
}

export type Format = (typeof OUTPUT_FORMATS)[number]

/** The writer of one format. Each method returns the text to write now; only what the next page needs is kept. */
export interface FormatWriter {
  page(records: readonly CrmRecord[]): string
  /** Called after the last page, also when there was none. */
  end(): string
  /** A single record, outside a list. */
  single(record: CrmRecord): string
  /** Notes on omitted values, one line each, after all records. */
  notes(): readonly string[]
}
