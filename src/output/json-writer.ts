import type { CrmRecord } from '../core/resources/registry.ts'
import { jsonText } from './json-text.ts'
import type { RecordWriter } from './record-writer.ts'

/** One document for any number of pages: opened with the first record, closed at the end. */
export function createJsonWriter(): RecordWriter {
  let isOpen = false
  const item = (record: CrmRecord): string => `  ${jsonText(record, 2).replaceAll('\n', '\n  ')}`
  return {
    page(records) {
      if (records.length === 0) return ''
      const opening = isOpen ? ',\n' : '[\n'
      isOpen = true
      return opening + records.map(item).join(',\n')
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
    single: (record) => `${jsonText(record, 2)}\n`,
    notes: () => [],
  }
}
