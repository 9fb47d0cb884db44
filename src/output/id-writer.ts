import { CrmError } from '../core/errors.ts'
import { idText } from '../core/exact-json.ts'
import type { CrmRecord } from '../core/resources.ts'
import { jsonText } from './json-text.ts'
import type { RecordWriter } from './record-writer.ts'

/** An id a line, for commands that take ids on `-`: one that would break its line is refused, for it could smuggle in another. */
export function createIdWriter(): RecordWriter {
  return { page: (records) => records.map(idLine).join(''), end: () => '', single: idLine, notes: () => [] }
}

export function standsOnLine(text: string | undefined): text is string {
  return text !== undefined && /^[^\s\p{C}]+$/u.test(text)
}

function idLine(record: CrmRecord): string {
  const text = idText(record.id)
  if (!standsOnLine(text)) {
    throw new CrmError('bad_answer', `a record has no id that can stand on a line: ${jsonText(record).slice(0, 200)}`, {
      hint: 'show whole records: -o jsonl',
    })
  }
  return `${text}\n`
}
