import { createDelimitedWriter } from './delimited-writer.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'

/** Readers take a NUL outside quotes for a damaged file. */
const NEEDS_QUOTES = /[",\r\n\0]/

/** RFC 4180: CRLF after each line, including the last, and quotes where the text needs them (2.1, 2.6, 2.7). */
export function createCsvWriter(out: RecordOutput): RecordWriter {
  return createDelimitedWriter(out, {
    delimiter: ',',
    lineEnd: '\r\n',
    cell: (text, isAlone) => {
      // Most readers skip a blank line.
      if (text === undefined) return isAlone ? '""' : ''
      return text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    },
  })
}
