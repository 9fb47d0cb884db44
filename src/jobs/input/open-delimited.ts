import { CrmError } from '../../core/errors.ts'
import { isOfNumericType } from '../../core/resources/field.ts'
import { type Column, type Converted, createColumnResolver, parseMap } from './columns.ts'
import { decimalConverter, withConversions } from './convert/converters.ts'
import type { InputSample, OpenInput, TextInput } from './cut-records.ts'
import { cellReader, type DelimitedInput, readDelimited } from './delimited-rows.ts'
import { planColumns } from './header-row.ts'
import { inputError } from './input-file.ts'
import { cellsOf, type Dialect, readRecords } from './read-delimited.ts'
import type { InputFormat, InputRow, RowOptions } from './row.ts'
import { SHEET_DIALECT } from './workbook/sheet-text.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const

const DEFAULT_QUOTE = '"'
const NO_QUOTE = 'none'

/** csv and tsv: a header row, then one record per line. */
export async function openDelimited(
  options: RowOptions,
  text: TextInput,
  format: InputFormat,
  sample: InputSample,
): Promise<OpenInput> {
  const mappings = await withConversions(parseMap(options.map), options)
  const dialect = dialectOf(options, format, sample)
  const input = { ...text, dialect, hasEscapes: format === 'tsv', isCsvSafe: options.isCsvSafe }
  const head = await readHeaderRow(input)
  const { name, kind, server, readSheet } = options
  const planned = planColumns({ ...head, name, kind, mappings, server, sheet: readSheet?.name })
  const types = planned.map((column, at) => typeInSheet(column, readSheet?.types[at]))
  const columns = planned.map((column, at) => withDecimal(withType(column, types[at]), options))
  const { encoding, hasBom } = options.text
  const { delimiter, quote } = dialect
  return {
    summary: {
      format,
      ...(readSheet && { sheet: readSheet.name }),
      encoding,
      hasBom,
      delimiter,
      quote,
      lineEnd: lineEndOf(sample, dialect),
      head: { offset: head.offset, length: head.length },
      columns: columns.map(({ name, role, field, type, isTyped }, at) => ({
        name,
        field: role === 'ignored' ? undefined : field,
        ...(types[at] && { type: types[at] }),
        ...(isTyped && type === 'text' && { isText: true as const }),
      })),
    },
    areCells: true,
    drafts: (onBlank) => {
      const { nullToken, isTrimmed, isEmptyCleared = false, isCsvSafe, compute } = options
      const cells = { nullToken, isTrimmed, isEmptyCleared, isCsvSafe, readCell: cellReader(input) }
      return readDelimited(input, { columns, readSheet, ...cells, hasGiven: compute.length > 0 }, onBlank)
    },
  }
}

function dialectOf(options: RowOptions, format: InputFormat, sample: InputSample): Dialect {
  if (format === 'xlsx') return SHEET_DIALECT
  return format === 'tsv' ? tsvDialect(options, sample) : csvDialect(options, sample)
}

/** What the cells of a column are, where neither crm nor `--map` knows its type. */
function typeInSheet({ role, isKnown, isTyped, convert }: Column, type: 'number' | 'boolean' | undefined) {
  return role === 'field' && !isKnown && !isTyped && !convert ? type : undefined
}

function withType(column: Column, type: 'number' | 'boolean' | undefined): Column {
  return type === undefined ? column : { ...column, type, isTyped: true }
}

/** `--decimal` is for all numbers that have no format of their own. */
function withDecimal(column: Column, { decimal }: RowOptions): Column {
  const isNumber = column.type === 'number' || column.type === 'integer'
  if (decimal === undefined || !isNumber || column.convert) return column
  const read = decimalConverter(decimal)
  return { ...column, convert: (text) => wholeIf(column.type === 'integer', read(text)) }
}

function wholeIf(isInteger: boolean, converted: Converted): Converted {
  if ('fault' in converted || !isInteger || isOfNumericType(converted.value, 'integer')) return converted
  return { fault: { code: 'not_an_integer', message: 'expected a whole number' } }
}

/** The format of `-o tsv`: tabs, and backslash escapes. Quotes are text. */
function tsvDialect({ delimiter, quote }: RowOptions, sample: InputSample): Dialect {
  if ((delimiter ?? '\t') !== '\t' || (quote ?? NO_QUOTE) !== NO_QUOTE) {
    throw new CrmError('usage', 'tsv has tabs and no quotes', {
      hint: '--format csv --delimiter tab reads lines with tabs and quotes',
    })
  }
  return { delimiter: '\t', quote: undefined, newline: newlineOf(sample) }
}

function csvDialect({ name, kind, map, server, ...asked }: RowOptions, { text, isWhole }: InputSample): Dialect {
  const quote = asked.quote === NO_QUOTE ? undefined : (asked.quote ?? DEFAULT_QUOTE)
  checkMark('--delimiter', asked.delimiter, quote)
  checkMark('--quote', quote, asked.delimiter)
  const mappings = parseMap(map)
  const resolve = createColumnResolver(kind, mappings, server)
  const isKnown = (header: string): boolean => {
    const column = resolve(header.trim())
    return mappings.has(header.trim()) || (!('suggestion' in column) && column.isKnown)
  }
  return detectDialect({ name, sample: text, isWhole, delimiter: asked.delimiter, quote, isKnown })
}

/** Accepts one ASCII character, which is one unit in every encoding. */
function checkMark(flag: string, mark: string | undefined, other: string | undefined): void {
  if (mark === undefined || (/^[\t -~]$/.test(mark) && mark !== other)) return
  throw new CrmError(
    'usage',
    `${flag} ${JSON.stringify(mark)}: expected one ASCII character, and not that of the other flag`,
    {
      hint: `--delimiter ';', --delimiter tab, --quote "'", --quote none`,
    },
  )
}

function newlineOf({ text }: InputSample): Dialect['newline'] {
  return text.includes('\n') || !text.includes('\r') ? '\n' : '\r'
}

function lineEndOf({ text }: InputSample, { newline }: Dialect): '\n' | '\r\n' | '\r' {
  if (newline === '\r') return '\r'
  return text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n'
}

interface DialectInput {
  readonly name: string
  /** The beginning of the input, as text. */
  readonly sample: string
  readonly isWhole: boolean
  readonly delimiter: string | undefined
  readonly quote: string | undefined
  /** Whether a header is the name of a field; among delimiters that fit, the one with the most known headers is chosen. */
  readonly isKnown: (header: string) => boolean
}

interface Fit {
  readonly delimiter: string
  readonly columns: number
  readonly known: number
  /** Whether all lines of the sample have the same number of cells. */
  readonly isEven: boolean
}

/**
 * Chooses the delimiter that cuts the sample into lines with the same number of cells; then the one with the most known
 * headers, then the one with the most columns. A single column has no delimiter; the result is then a comma.
 */
function detectDialect(input: DialectInput): Dialect {
  const newline = input.sample.includes('\n') || !input.sample.includes('\r') ? '\n' : '\r'
  const { quote } = input
  if (input.delimiter !== undefined) return { delimiter: input.delimiter, quote, newline }
  const fits = DELIMITERS.map((delimiter) => fitOf(input, { delimiter, quote, newline }))
  const rank = ({ columns, known, isEven }: Fit): number =>
    columns < 2 ? 0 : (isEven ? 1_000_000 : 0) + known * 1_000 + Math.min(columns, 999)
  const best = fits.reduce((one, other) => (rank(other) > rank(one) ? other : one))
  return { delimiter: best.delimiter, quote, newline }
}

function fitOf({ sample, isWhole, isKnown }: DialectInput, dialect: Dialect): Fit {
  // The last record of a part may be cut off.
  const read = cellsOf(sample, dialect)
  const [headers = [], ...others] = isWhole ? read.rows : read.rows.slice(0, -1)
  const isEven = (read.isWhole || !isWhole) && others.every(({ length }) => length === headers.length)
  return { delimiter: dialect.delimiter, columns: headers.length, known: headers.filter(isKnown).length, isEven }
}

export interface HeaderLine extends Pick<InputRow, 'line' | 'offset' | 'length'> {
  readonly headers: readonly string[]
}

/** The first line that is not blank; CrmError when there is none. */
async function readHeaderRow(input: DelimitedInput): Promise<HeaderLine> {
  for await (const [first] of readRecords(input, input.dialect)) {
    if (!first) continue
    const readCell = cellReader(input)
    const { line, offset, length } = first
    return { line, offset, length, headers: first.cells.map((cell) => (readCell(cell) ?? cell).trim()) }
  }
  throw inputError({
    ...{ name: input.name, line: 1, what: 'the input is empty, expected a header row' },
    hint: 'give a file with a header row, such as name,email',
  })
}
