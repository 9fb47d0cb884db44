import { CrmError } from '../../core/errors.ts'
import { isOfNumericType } from '../../core/resources/field.ts'
import { type Column, type Converted, createColumnResolver, parseMap } from './columns.ts'
import { decimalConverter, withConversions } from './convert/converters.ts'
import { createDelimitedCutter, type Dialect } from './cut-delimited.ts'
import { type CutInput, codecOf, cutRecords, type InputSample, type OpenInput } from './cut-records.ts'
import { cellReader, type DelimitedInput, readDelimited } from './delimited-rows.ts'
import { planColumns } from './header-row.ts'
import { type InputPlace, inputError } from './input-file.ts'
import type { InputFormat, RowOptions } from './row.ts'
import { SHEET_DIALECT } from './workbook/sheet-text.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const

const DEFAULT_QUOTE = '"'
const NO_QUOTE = 'none'

/** csv and tsv: a header row, then one record per line. */
export async function openDelimited(
  options: RowOptions,
  cutInput: CutInput,
  format: InputFormat,
  sample: InputSample,
): Promise<OpenInput> {
  const mappings = await withConversions(parseMap(options.map), options)
  const dialect = dialectOf(options, format, sample)
  const input = { ...cutInput, dialect, hasEscapes: format === 'tsv', isCsvSafe: options.isCsvSafe }
  const head = await readHeaderRow(input)
  const { name, kind, server, readSheet } = options
  const planned = planColumns({ ...head, name, kind, mappings, server, sheet: readSheet?.name })
  const types = planned.map((column, at) => typeInSheet(column, readSheet?.types[at]))
  const columns = planned.map((column, at) => withDecimal(withType(column, types[at]), options))
  const { encoding, hasBom } = cutInput
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
    drafts: (hooks) => {
      const { nullToken, isTrimmed, isEmptyCleared = false, compute } = options
      const cells = { nullToken, isTrimmed, isEmptyCleared }
      return readDelimited(input, { columns, readSheet, ...cells, hasGiven: compute.length > 0, hooks })
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
  const rows = cutSample(sample, isWhole, dialect) ?? cutSample(sample.split(dialect.newline, 1).join(), true, dialect)
  const [headers = [], ...others] = rows ?? []
  const isEven = rows !== undefined && others.every(({ length }) => length === headers.length)
  return { delimiter: dialect.delimiter, columns: headers.length, known: headers.filter(isKnown).length, isEven }
}

/** Undefined if the sample is invalid in this dialect; it may be valid in another one. */
function cutSample(sample: string, isWhole: boolean, dialect: Dialect): readonly (readonly string[])[] | undefined {
  const cutter = createDelimitedCutter(dialect, '-', 1)
  try {
    return cutter.cut({ units: sample, offset: 0, isLast: isWhole }).cuts.map(({ cells }) => cells)
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}

export interface HeaderLine extends InputPlace {
  /** In bytes, line end excluded. */
  readonly length: number
  readonly headers: readonly string[]
}

/** The first line that is not blank; CrmError when there is none. */
async function readHeaderRow(input: DelimitedInput): Promise<HeaderLine> {
  const { dialect, name, encoding } = input
  const { unitBytes } = codecOf(encoding)
  for await (const { cuts, window } of cutRecords(input, createDelimitedCutter(dialect, name, unitBytes))) {
    const [first] = cuts
    if (!first) continue
    const readCell = cellReader(input, false)
    const place = { line: first.line, offset: window.offset + first.start * unitBytes }
    const headers = first.cells.map((cell) => (readCell(cell) ?? cell).trim())
    return { ...place, length: (first.end - first.start) * unitBytes, headers }
  }
  throw inputError({
    name,
    line: 1,
    offset: 0,
    what: 'the input is empty, expected a header row',
    hint: 'give a file with a header row, such as name,email',
  })
}
