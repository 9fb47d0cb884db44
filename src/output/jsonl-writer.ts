import type { CrmRecord } from '../core/resources/registry.ts'
import { jsonText } from './json-text.ts'
import type { RecordWriter } from './record-writer.ts'

export function createJsonlWriter(): RecordWriter {
  const line = (record: CrmRecord): string => `${jsonText(record)}\n`
  return { page: (records) => records.map(line).join(''), end: () => '', single: line, notes: () => [] }
}
