import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseWhole } from 'csv-parse/sync'
import { toMachineError } from '../../files/machine-error.ts'
import { type DecodedText, MOST_RECORD_BYTES, tooLong } from './cut-records.ts'
import { inputError, readHead } from './input-file.ts'
import type { RowSpan } from './row.ts'

export interface Dialect {
  readonly delimiter: string
  /** Undefined if quotes are text. */
  readonly quote: string | undefined
  /** The line end; a carriage return may precede a line feed. */
  readonly newline: '\n' | '\r'
  /** Each record counts as one line, as the rows of a sheet do. */
  readonly rowsAreLines?: boolean
}

export interface DelimitedText extends DecodedText {
  readonly dialect: Dialect
  /** What is before it is no part of the text. */
  readonly start?: Place | undefined
}

type Place = Pick<RowSpan, 'line' | 'offset'>

export interface DelimitedRecord extends RowSpan {
  /** Without their quotes. */
  readonly cells: readonly string[]
  /** As in the input, without the line end. */
  readonly text: string
}

const BATCH = 256

/**
 * The records of a text, without blank lines. `csv-parse` cuts them; quotes inside a cell that does not begin with one are text, as in
 * csv-spectrum. What it would read by a guess (text after a closing quote, a quote after blanks) is a CrmError with line and column.
 */
export async function* readDelimitedRecords(input: DelimitedText): AsyncGenerator<readonly DelimitedRecord[]> {
  const { path, name, signal, dialect, start = { line: 1, offset: 0 } } = input
  const parser: AsyncIterable<RawRecord> = pipeline(
    createReadStream(path, { start: start.offset }),
    parse(optionsOf(dialect)),
    () => {},
  )
  const check = createCheck(name, dialect)
  let batch: DelimitedRecord[] = []
  let [place, last] = [start, '']
  try {
    for await (const raw of parser) {
      const record = { ...place, ...recordOf(raw, dialect) }
      check(record)
      if (record.text !== '') batch.push(record)
      last = record.text
      place = placeAfter(record, raw, dialect)
      if (batch.length < BATCH) continue
      signal.throwIfAborted()
      yield batch
      batch = []
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw toMachineError(error, path)
    throw error.code === 'CSV_MAX_RECORD_SIZE' ? tooLong(name, place.line) : await openQuote(input, place, error)
  }
  if (last.endsWith('\x1a')) throw inputError({ name, line: place.line - 1, ...FAULTS.dosEnd })
  if (batch.length > 0) yield batch
}

interface RawRecord {
  readonly record: readonly string[]
  readonly raw: string
}

function optionsOf({ delimiter, quote, newline }: Dialect): Options {
  return {
    ...{
      delimiter,
      quote: quote ?? null,
      escape: quote ?? null,
      record_delimiter: newline === '\r' ? '\r' : ['\r\n', '\n'],
    },
    ...{ relax_column_count: true, relax_quotes: true, raw: true, max_record_size: MOST_RECORD_BYTES },
  }
}

/** The cells of a sample until it ends or cannot be read in this dialect; `isWhole` is false for the latter. */
export function sampleCells(
  sample: string,
  dialect: Dialect,
): { readonly rows: string[][]; readonly isWhole: boolean } {
  const rows: string[][] = []
  const add = (cells: string[]) => {
    rows.push(cells)
    return null
  }
  try {
    parseWhole(sample, { ...optionsOf(dialect), raw: false, skip_empty_lines: true, on_record: add })
    return { rows, isWhole: true }
  } catch (error) {
    if (error instanceof CsvError) return { rows, isWhole: false }
    throw error
  }
}

function recordOf({ record: cells, raw }: RawRecord, { newline, quote }: Dialect) {
  // A carriage return at the end of the input is one of the last cell.
  const isInside = cells.at(-1)?.endsWith('\r') && raw.at(-2) !== quote
  const hasEnd = raw.endsWith(newline) || (raw.endsWith('\r') && !isInside)
  const text = hasEnd ? raw.slice(0, -1) : raw
  return { cells, text, length: Buffer.byteLength(text) }
}

function placeAfter(
  { text, line, offset }: Place & { readonly text: string },
  { raw }: RawRecord,
  dialect: Dialect,
): Place {
  const { newline, rowsAreLines } = dialect
  let lines = 1
  if (!rowsAreLines) for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) lines++
  // csv-parse leaves the line feed of CRLF out of the raw text.
  const cut = newline === '\n' && raw.endsWith('\r') ? 1 : 0
  return { line: line + lines, offset: offset + Buffer.byteLength(raw) + cut }
}

const PLAIN_QUOTES = 'if quotes are plain text: --quote none'

const FAULTS = {
  '\0': {
    what: 'a NUL outside quotes, expected text',
    hint: 'the input may be damaged, or in UTF-32, which iconv -f utf-32 -t utf-8 FILE converts; --encoding utf-16le reads UTF-16',
  },
  '\r': {
    what: 'a carriage return in a cell without quotes, expected a line feed after it',
    hint: 'quote the cell, or use one kind of line end',
  },
  dosEnd: {
    what: 'the end-of-file mark of DOS (0x1A), expected the end of the file',
    hint: 'remove this last byte, for example with: head -c -1 FILE',
  },
  blanks: {
    what: 'a quote after blanks, expected it at the beginning of the cell',
    hint: `remove the blanks; ${PLAIN_QUOTES}`,
  },
  text: {
    what: 'text after the closing quote of a cell, expected a delimiter or the end of the line',
    hint: `double the quotes inside the cell; ${PLAIN_QUOTES}`,
  },
} as const

/** One cell with its quotes, and what ends it. */
function cellPattern({ delimiter, quote }: Pick<Dialect, 'delimiter' | 'quote'>): RegExp {
  const d = escaped(delimiter)
  if (quote === undefined) return new RegExp(`([^${d}\\r\\0]*)(${d}|$)`, 'gy')
  const q = escaped(quote)
  return new RegExp(`(${q}[^${q}]*(?:${q}${q}[^${q}]*)*${q}|(?![^\\S${d}]*${q})[^${d}\\r\\0]*)(${d}|$)`, 'gy')
}

/** One ASCII character in a pattern. */
function escaped(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** The cells of a record with their quotes, to the first that is not valid; and the number of characters in them. */
export function cutCells(text: string, dialect: Pick<Dialect, 'delimiter' | 'quote'>, pattern = cellPattern(dialect)) {
  const cells: string[] = []
  let length = 0
  for (const [whole, cell = '', end] of text.matchAll(pattern)) {
    cells.push(cell)
    length += whole.length
    if (end === '') break
  }
  return { cells, length }
}

/** Only a record with a quote, a NUL or a carriage return in it can have a fault. */
function createCheck(name: string, dialect: Dialect): (record: Place & { readonly text: string }) => void {
  const { quote, newline } = dialect
  const q = quote === undefined ? '' : escaped(quote)
  const [rare, cell] = [new RegExp(`[\\0\\r${q}]`), cellPattern(dialect)]
  const fault = new RegExp(
    q === ''
      ? '[\\r\\0]'
      : `^${q}[^${q}]*(?:${q}${q}[^${q}]*)*${q}|^[^\\S${escaped(dialect.delimiter)}]+(?=${q})|[\\r\\0]`,
  )
  return ({ text, line }) => {
    const start = rare.test(text) ? cutCells(text, dialect, cell).length : text.length
    if (start === text.length) return
    const { 0: found = '', index: at = 0 } = fault.exec(text.slice(start)) ?? {}
    const isChar = found === '\r' || found === '\0'
    const before = text.slice(0, start + at + (isChar ? 0 : found.length))
    const what = FAULTS[isChar ? found : text[start] === quote ? 'text' : 'blanks']
    throw inputError({ name, ...placeBehind(before, line, newline), ...what })
  }
}

function placeBehind(before: string, line: number, newline: string) {
  const lines = before.split(newline)
  return { line: line + lines.length - 1, column: (lines.at(-1) ?? '').length + 1 }
}

/** Reads the record again, for the place of the quote. */
async function openQuote({ path, name, dialect }: DelimitedText, { line, offset }: Place, cause: CsvError) {
  const text = (await readHead(path, MOST_RECORD_BYTES, offset)).toString()
  const before = text.slice(0, cutCells(text, dialect).length)
  return inputError({
    ...{ name, ...placeBehind(before, line, dialect.newline), cause, what: 'a quote that opens here is never closed' },
    hint: `close it, or double it; ${PLAIN_QUOTES}`,
  })
}
