import { createDelimitedWriter } from './delimited-writer.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'

/** The text format of PostgreSQL's COPY: a record is always one line, with backslash escapes. */
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' }

export function createTsvWriter(out: RecordOutput): RecordWriter {
  return createDelimitedWriter(out, {
    delimiter: '\t',
    lineEnd: '\n',
    cell: (text = '') => text.replace(/[\\\t\n\r\0]/g, (char) => ESCAPES[char] ?? char),
  })
}
