import { exactDigits, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { FormatWriter, RecordOutput } from './record-output.ts'
import { type FieldPath, fieldName, headerOf, valueAtField } from './record-output.ts'
import { defuse, jsonText, linesFor } from './safe-text.ts'

/** At most this many keys without a column are named; a server can send any number. */
const MOST_NAMES = 10

/** Readers take a NUL outside quotes for a damaged file. */
const NEEDS_QUOTES = { ',': /[",\r\n\0]/, ';': /[";\r\n\0]/ } as const

const BYTE_ORDER_MARK = '\ufeff'

/** The text format of PostgreSQL's COPY: a record is always one line, with backslash escapes. */
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' }

/**
 * RFC 4180: CRLF after each line, including the last, and quotes where the text needs them (2.1, 2.6, 2.7). A spreadsheet program also
 * gets the marks of its locale, and knows UTF-8 by the byte order mark alone.
 */
export function createCsvWriter(out: RecordOutput): FormatWriter {
  const { delimiter = ',', decimal = '.' } = out.spreadsheet ?? {}
  return createDelimitedWriter(out, {
    ...{ delimiter, decimal, lineEnd: '\r\n', start: out.spreadsheet ? BYTE_ORDER_MARK : '' },
    cell: (text, isAlone) => {
      // Most readers skip a blank line.
      if (text === undefined) return isAlone ? '""' : ''
      return text === '' || NEEDS_QUOTES[delimiter].test(text) ? `"${text.replaceAll('"', '""')}"` : text
    },
  })
}

export function createTsvWriter(out: RecordOutput): FormatWriter {
  return createDelimitedWriter(out, {
    ...{ delimiter: '\t', decimal: '.', lineEnd: '\n', start: '' },
    cell: (text = '') => text.replace(/[\\\t\n\r\0]/g, (char) => ESCAPES[char] ?? char),
  })
}

interface Dialect {
  readonly delimiter: string
  readonly decimal: string
  readonly lineEnd: string
  /** Before the header row. */
  readonly start: string
  /** The text of a cell in the file; undefined for a null or absent value. */
  cell(text: string | undefined, isAlone: boolean): string
}

/** Writes a header row, also without records, and the records below it. */
function createDelimitedWriter(out: RecordOutput, { delimiter, decimal, lineEnd, start, cell }: Dialect): FormatWriter {
  const columns = createColumns(out)
  let paths: readonly FieldPath[] | undefined
  const safe = out.isCsvSafe ? defuse : (text: string) => text
  const line = (texts: readonly (string | undefined)[]): string =>
    texts.map((text) => cell(text, texts.length === 1)).join(delimiter) + lineEnd
  const rows = (records: readonly CrmRecord[], of: readonly FieldPath[]): string =>
    records.map((record) => line(of.map((path) => cellText(valueAtField(record, path), path)))).join('')
  const types = out.columnTypes
  const cellText = (value: JsonValue | undefined, path: FieldPath): string | undefined => {
    if (types?.get(fieldName(path)) !== 'json') return valueText(value, safe, decimal)
    return typeof value === 'string' ? safe(jsonText(value)) : valueText(value, safe, '.')
  }
  const named = (path: FieldPath): string => {
    const name = fieldName(path)
    return types ? headerOf(name, types.get(name)) : name
  }
  const head = (of: readonly FieldPath[]): string => line(of.map((path) => safe(named(path))))
  const shown = (text: string): string => linesFor(out.io.stdout, text)
  return {
    page(records) {
      if (records.length === 0) return ''
      if (paths && !out.onHeader) {
        columns.count(records)
        return shown(rows(records, paths))
      }
      const widthBefore = paths?.length ?? 0
      paths = columns.paths(records)
      if (paths.length > widthBefore) out.onHeader?.(head(paths))
      return shown((widthBefore === 0 ? start + head(paths) : '') + rows(records, paths))
    },
    end: () => (paths ? '' : shown(start + head(columns.paths([])))),
    single(record) {
      const all = columns.paths([record])
      return shown(start + head(all) + rows([record], all))
    },
    notes: columns.notes,
  }
}

/** Text made safe, any other value as JSON: a negative number is not a formula. */
function valueText(value: JsonValue | undefined, safe: (text: string) => string, decimal: string): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return safe(value)
  const isNumber = typeof value === 'number' || exactDigits(value) !== undefined
  return isNumber ? jsonText(value).replace('.', decimal) : jsonText(value)
}

/** The columns of a file: those of its first page, unless its header row can be written again. */
export interface Columns {
  /** `--fields`, or the known fields followed by the other keys of the pages passed so far. */
  paths(page: readonly CrmRecord[]): readonly FieldPath[]
  /** Counts the values of a page that have no column. */
  count(page: readonly CrmRecord[]): void
  notes(): readonly string[]
}

export function createColumns({ fields, columns }: Pick<RecordOutput, 'fields' | 'columns'>): Columns {
  const known = new Set<string>(columns)
  const lateKeys = new Set<string>()
  let left = 0
  return {
    paths(page) {
      if (fields) return fields
      for (const record of page) for (const key of Object.keys(record)) known.add(key)
      return [...known].map((key) => [key])
    },
    count(page) {
      if (fields) return
      for (const record of page) {
        for (const key of Object.keys(record)) {
          if (known.has(key)) continue
          left++
          if (lateKeys.size < MOST_NAMES) lateKeys.add(key)
        }
      }
    },
    notes() {
      if (left === 0) return []
      const names = [...lateKeys].map((key) => fieldName([key])).join(', ')
      return [
        `${left} values have no column, because their keys are not in the first page: ${names}; choose with --fields`,
      ]
    },
  }
}
