import { CrmError } from '../../core/errors.ts'
import { isOfNumericType } from '../../core/resources/field.ts'
import { type Column, type Converted, createColumnResolver, parseMap } from './columns.ts'
import { decimalConverter, withConversions } from './convert/converters.ts'
import type { DecodedText, InputSample, OpenInput } from './cut-records.ts'
import { cellReader, type DelimitedInput, readDelimited } from './delimited-rows.ts'
import { planColumns } from './header-row.ts'
import { inputError } from './input-file.ts'
import { type Dialect, readDelimitedRecords, sampleCells } from './read-delimited.ts'
import type { InputFormat, InputRow, RowOptions } from './row.ts'
import { SHEET_DIALECT } from './workbook/sheet-text.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const

const DEFAULT_QUOTE = '"'
const NO_QUOTE = 'none'

/** csv and tsv: a header row, then one record per line. */
export async function openDelimited(
  options: RowOptions,
  text: DecodedText,
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

/**
 * Chooses the delimiter that cuts the sample into lines with the same number of cells; then the one with the most headers that are
 * fields, then the one with the most columns. A single column has no delimiter; the result is then a comma.
 */
function csvDialect({ kind, map, server, ...asked }: RowOptions, sample: InputSample): Dialect {
  const quote = asked.quote === NO_QUOTE ? undefined : (asked.quote ?? DEFAULT_QUOTE)
  checkMark('--delimiter', asked.delimiter, quote)
  checkMark('--quote', quote, asked.delimiter)
  const newline = newlineOf(sample)
  if (asked.delimiter !== undefined) return { delimiter: asked.delimiter, quote, newline }
  const mappings = parseMap(map)
  const resolve = createColumnResolver(kind, mappings, server)
  const isKnown = (header: string): boolean => {
    const column = resolve(header.trim())
    return mappings.has(header.trim()) || (!('suggestion' in column) && column.isKnown)
  }
  const dialects = DELIMITERS.map((delimiter) => ({ delimiter, quote, newline }))
  const ranks = dialects.map((dialect) => rankOf(dialect, sample, isKnown))
  return dialects[ranks.indexOf(Math.max(...ranks))] ?? { delimiter: ',', quote, newline }
}

function rankOf(dialect: Dialect, { text, isWhole }: InputSample, isKnown: (header: string) => boolean): number {
  const read = sampleCells(text, dialect)
  // The last record of a part may be cut off.
  const [headers = [], ...others] = isWhole ? read.rows : read.rows.slice(0, -1)
  if (headers.length < 2) return 0
  const isEven = (read.isWhole || !isWhole) && others.every(({ length }) => length === headers.length)
  return (isEven ? 1_000_000 : 0) + headers.filter(isKnown).length * 1_000 + Math.min(headers.length, 999)
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

export interface HeaderLine extends Pick<InputRow, 'line' | 'offset' | 'length'> {
  readonly headers: readonly string[]
}

/** The first line that is not blank; CrmError when there is none. */
async function readHeaderRow(input: DelimitedInput): Promise<HeaderLine> {
  for await (const [first] of readDelimitedRecords(input, input.dialect)) {
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
