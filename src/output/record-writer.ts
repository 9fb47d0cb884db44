import type { CrmRecord } from '../core/resources/registry.ts'

/** One format. Each method gives the text to write now; nothing is kept but what the next page needs. */
export interface RecordWriter {
  page(records: readonly CrmRecord[]): string
  /** After the last page, or instead of all when there was none. */
  end(): string
  /** A record that is shown alone. */
  single(record: CrmRecord): string
  /** What the reader should know about what was left out, one line each, once all is printed. */
  notes(): readonly string[]
}
