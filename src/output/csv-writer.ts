import { createDelimitedWriter } from './delimited-writer.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'

/** A NUL outside quotes is what a damaged file has. */
const NEEDS_QUOTES = /[",\r\n\0]/

/** RFC 4180: CRLF after each line, the last among them, and quotes where the text needs them (2.1, 2.6, 2.7). */
export function createCsvWriter(out: RecordOutput): RecordWriter {
  return createDelimitedWriter(out, {
    delimiter: ',',
    lineEnd: '\r\n',
    cell: (text, isAlone) => {
      // A line with nothing on it is a blank line to most readers, not a record.
      if (text === undefined) return isAlone ? '""' : ''
      return text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    },
  })
}
