import { CrmError } from '../../core/errors.ts'
import { setAtPath } from '../../core/json.ts'
import { restoreDefused } from '../../output/safe-text.ts'
import { type Column, convertCell, createColumnResolver, parseMap } from './columns.ts'
import { createDelimitedCutter, type Dialect, unescapeTsv } from './cut-delimited.ts'
import { type CutInput, codecOf, cutRecords, type InputSample, type OpenInput } from './cut-records.ts'
import { planColumns } from './header-row.ts'
import { type InputPlace, inputError } from './input-file.ts'
import type { InputFormat, InputRow, RowOptions } from './row.ts'
import { addFinding, createDraft, placeValue, type RowDraft } from './row-draft.ts'

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
  const mappings = parseMap(options.map)
  const dialect = format === 'tsv' ? tsvDialect(options, sample) : csvDialect(options, sample)
  const input = { ...cutInput, dialect, hasEscapes: format === 'tsv', isCsvSafe: options.isCsvSafe }
  const head = await readHeaderRow(input)
  const { name, kind, server } = options
  const columns = planColumns({ ...head, name, kind, mappings, server })
  const { encoding, hasBom } = cutInput
  const { delimiter, quote } = dialect
  return {
    summary: {
      format,
      encoding,
      hasBom,
      delimiter,
      quote,
      lineEnd: lineEndOf(sample, dialect),
      head: { offset: head.offset, length: head.length },
      columns: columns.map(({ name, role, field }) => ({ name, field: role === 'ignored' ? undefined : field })),
    },
    areCells: true,
    drafts: (onBlank) =>
      readDelimited(input, { columns, nullToken: options.nullToken, hasGiven: options.compute.length > 0, onBlank }),
  }
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

const BAD_ESCAPE = String.raw`expected \t, \n, \r, \0 or \\ after a backslash; if backslashes are plain text: --format csv`

export interface DelimitedInput extends CutInput {
  readonly dialect: Dialect
  /** Whether cells have the backslash escapes of `-o tsv`. */
  readonly hasEscapes: boolean
  readonly isCsvSafe: boolean
}

export interface HeaderLine extends InputPlace {
  /** In bytes, line end excluded. */
  readonly length: number
  readonly headers: readonly string[]
}

const BEYOND_ASCII = /\P{ASCII}/u

type ReadCell = (cell: string) => string | undefined

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

async function* readDelimited(
  input: DelimitedInput,
  rules: Omit<CellRules, 'readCell'> & { readonly onBlank: (line: number) => void },
): AsyncGenerator<readonly RowDraft[]> {
  const { dialect, name, encoding } = input
  const { unitBytes } = codecOf(encoding)
  const [plain, decoding] = [cellReader(input, true), cellReader(input, false)]
  let isHead = true
  for await (const { cuts, window, isPlain } of cutRecords(input, createDelimitedCutter(dialect, name, unitBytes))) {
    const cellRules = { ...rules, readCell: isPlain ? plain : decoding }
    const drafts: RowDraft[] = []
    for (const { cells, line, start, end } of isHead ? cuts.slice(1) : cuts) {
      const place = { line, offset: window.offset + start * unitBytes, length: (end - start) * unitBytes }
      const draft = cellsToRow(cells, place, cellRules)
      if (draft) drafts.push(draft)
      else rules.onBlank(line)
    }
    isHead = false
    yield drafts
  }
}

function cellReader({ encoding, hasEscapes, isCsvSafe }: DelimitedInput, isPlain: boolean): ReadCell {
  const { text } = codecOf(encoding)
  const decode: (cell: string) => string = isPlain
    ? (cell) => cell
    : (cell) => (BEYOND_ASCII.test(cell) ? text(cell) : cell)
  if (!hasEscapes && !isCsvSafe) return decode
  const withoutEscapes: ReadCell = hasEscapes ? unescapeTsv : (cell) => cell
  return (cell) => {
    const plain = withoutEscapes(decode(cell))
    return isCsvSafe && plain !== undefined ? restoreDefused(plain) : plain
  }
}

interface CellRules extends Pick<RowOptions, 'nullToken'> {
  readonly columns: readonly Column[]
  readonly hasGiven: boolean
  /** The text of a non-empty cell; undefined for an invalid escape. */
  readCell(cell: string): string | undefined
}

type RowPlace = Pick<InputRow, 'line' | 'offset' | 'length'>

/**
 * An empty cell leaves its field unchanged; a cell with the null token clears it. Undefined for a line of empty cells, such
 * as spreadsheets write below the last row.
 */
function cellsToRow(cells: readonly string[], place: RowPlace, rules: CellRules): RowDraft | undefined {
  const { columns } = rules
  if (cells.length !== columns.length) return raggedDraft(cells, place, rules)
  const draft = createDraft(place, rules.hasGiven)
  let isBlank = true
  for (let at = 0; at < columns.length; at++) {
    const cell = cells[at]
    const column = columns[at]
    if (!cell || !column) continue
    isBlank = false
    placeCell(draft, column, cell, rules)
  }
  return isBlank ? undefined : draft
}

function placeCell(draft: RowDraft, column: Column, cell: string, { nullToken, readCell }: CellRules): void {
  const text = readCell(cell)
  if (text === undefined) {
    addFinding(draft, { column: column.name, value: cell, code: 'bad_escape', message: BAD_ESCAPE })
    return
  }
  if (draft.given) setAtPath(draft.given, [column.name], text)
  if (column.role === 'ignored') {
    // A header row may end in a delimiter; the cells below it then have no name.
    if (column.name === '') {
      addFinding(draft, { column: '', value: text, code: 'unnamed_column', message: 'its column has no name' })
    }
    return
  }
  const converted = text === nullToken ? { value: null } : convertCell(text, column.type)
  placeValue(draft, column, converted, text)
}

function raggedDraft(cells: readonly string[], place: RowPlace, { columns }: CellRules): RowDraft | undefined {
  if (cells.every((cell) => cell === '')) return undefined
  const draft = createDraft(place, false)
  addFinding(draft, {
    column: undefined,
    value: cells.at(-1),
    code: 'ragged_row',
    message: `it has ${cells.length} cells, and the header row has ${columns.length}`,
  })
  return draft
}
