import type { CrmRecord } from '../core/resources/registry.ts'

/** The writer of one format. Each method returns the text to write now; only what the next page needs is kept. */
export interface RecordWriter {
  page(records: readonly CrmRecord[]): string
  /** Called after the last page, also when there was none. */
  end(): string
  /** A single record, outside a list. */
  single(record: CrmRecord): string
  /** Notes on omitted values, one line each, after all records. */
  notes(): readonly string[]
}
