import { CrmError } from '../core/errors.ts'
import { idOnLine } from '../core/id-line.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { jsonText } from './json-text.ts'
import type { RecordWriter } from './record-writer.ts'

/** One id per line, for commands that read ids with `-`. */
export function createIdWriter(): RecordWriter {
  return { page: (records) => records.map(idLine).join(''), end: () => '', single: idLine, notes: () => [] }
}

function idLine(record: CrmRecord): string {
  const text = idOnLine(record.id)
  if (text === undefined) {
    throw new CrmError('bad_answer', `a record has no id that fits on one line: ${jsonText(record).slice(0, 200)}`, {
      hint: 'show whole records: -o jsonl',
    })
  }
  return `${text}\n`
}
