import { setAtPath } from '../../core/json.ts'
import { restoreDefused } from '../../output/safe-text.ts'
import { type Column, convertCell } from './columns.ts'
import { createDelimitedCutter, type Dialect, unescapeTsv } from './cut-delimited.ts'
import { type CutInput, codecOf, cutRecords, type DraftHooks } from './cut-records.ts'
import { encodingOf } from './mixed-encoding.ts'
import { type FindingCode, type InputRow, NO_LINE, type ReadSheet, type RowOptions } from './row.ts'
import { addFinding, createDraft, placeValue, type RowDraft } from './row-draft.ts'

const BAD_ESCAPE = String.raw`expected \t, \n, \r, \0 or \\ after a backslash; if backslashes are plain text: --format csv`

export interface DelimitedInput extends CutInput {
  readonly dialect: Dialect
  /** Whether cells have the backslash escapes of `-o tsv`. */
  readonly hasEscapes: boolean
  readonly isCsvSafe: boolean
}

const BEYOND_ASCII = /\P{ASCII}/u

type ReadCell = (cell: string) => string | undefined

/** The rows of csv and tsv as drafts, window by window. */
export async function* readDelimited(
  input: DelimitedInput,
  rules: Omit<CellRules, 'readCell'> & { readonly hooks: DraftHooks },
): AsyncGenerator<readonly RowDraft[]> {
  const { dialect, name, encoding } = input
  const { unitBytes } = codecOf(encoding)
  const [plain, decoding] = [cellReader(input, true), cellReader(input, false)]
  const readMixed = encoding === 'mixed' ? mixedReader(input, rules) : undefined
  let isHead = true
  for await (const { cuts, window, isDecoded } of cutRecords(input, createDelimitedCutter(dialect, name, unitBytes))) {
    const cellRules = { ...rules, readCell: isDecoded ? plain : decoding }
    const drafts = (isHead ? cuts.slice(1) : cuts).map(({ cells, line, start, end }) => {
      const place = { line, offset: window.offset + start * unitBytes, length: (end - start) * unitBytes }
      const read = isDecoded ? undefined : readMixed?.(window.units.slice(start, end), line)
      const draft = read === 'neither' ? undecodable(place) : cellsToRow(cells, place, read ?? cellRules)
      if (!draft) rules.hooks.onBlank(line)
      return draft
    })
    isHead = false
    yield drafts.filter((draft) => draft !== undefined)
  }
}

export function cellReader({ encoding, hasEscapes, isCsvSafe }: DelimitedInput, isDecoded: boolean): ReadCell {
  const { text } = codecOf(encoding)
  const decode: (cell: string) => string = isDecoded
    ? (cell) => cell
    : (cell) => (BEYOND_ASCII.test(cell) ? text(cell) : cell)
  if (!hasEscapes && !isCsvSafe) return decode
  const withoutEscapes: ReadCell = hasEscapes ? unescapeTsv : (cell) => cell
  return (cell) => {
    const plain = withoutEscapes(decode(cell))
    return isCsvSafe && plain !== undefined ? restoreDefused(plain) : plain
  }
}

/** The rules for one line of a mixed input; undefined for a line of UTF-8. */
function mixedReader(input: DelimitedInput, rules: Omit<CellRules, 'readCell'> & { readonly hooks: DraftHooks }) {
  const windows = { ...rules, readCell: cellReader({ ...input, encoding: 'windows-1252' }, false) }
  return (units: string, line: number): CellRules | 'neither' | undefined => {
    const encoding = encodingOf(units)
    if (encoding !== 'windows-1252') return encoding === 'neither' ? encoding : undefined
    rules.hooks.onRepaired(line)
    return windows
  }
}

/** A line with characters of both encodings, or of none: which one is right cannot be known. */
function undecodable(place: RowPlace): RowDraft {
  const draft = createDraft(place, false)
  const message = 'its bytes are neither all UTF-8 nor all Windows-1252; correct the line in one encoding'
  addFinding(draft, { column: undefined, value: undefined, code: 'mixed_encoding', message })
  return draft
}

interface CellRules extends Pick<RowOptions, 'nullToken' | 'isTrimmed' | 'isEmptyCleared'> {
  readonly columns: readonly Column[]
  readonly readSheet?: ReadSheet | undefined
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
    const [cell = '', column] = [cells[at], columns[at]]
    if (column?.role === 'earlier_line') draft.row.earlierLine = NO_LINE
    if (!column) continue
    if (cell === '' || (rules.isTrimmed && cell.trim() === '')) placeEmpty(draft, column, rules)
    else {
      isBlank = false
      placeText(draft, { column, cell, at }, rules)
    }
  }
  return isBlank ? undefined : draft
}

interface PlacedCell {
  readonly column: Column
  readonly cell: string
  readonly at: number
}

function placeText(draft: RowDraft, { column, cell, at }: PlacedCell, rules: CellRules): void {
  const fault = rules.readSheet?.faultAt(draft.row.line, at)
  if (fault === undefined || column.role === 'ignored') placeCell(draft, column, cell, rules)
  else placeFault(draft, column, { fault, text: rules.readCell(cell) ?? cell })
}

function placeEmpty(draft: RowDraft, column: Column, { isEmptyCleared }: CellRules): void {
  if (isEmptyCleared && column.role === 'field') placeValue(draft, column, { value: null }, '')
}

const FAULTS: Partial<Record<FindingCode, string>> = {
  cell_error: 'an error of a formula, expected a value',
  formula_without_value: 'a formula without its value; open the file in a spreadsheet program and save it',
  not_a_date: 'a number of days that is no date',
  not_a_number: 'expected a number',
}

/** What spreadsheet programs save in place of a value that a formula has not; of Excel in English. */
const ERROR_TEXTS = new Set('#N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC!'.split(' '))

const ERROR_TEXT = {
  code: 'cell_error',
  message: 'the error of a formula, expected a value; --map COLUMN=FIELD:text keeps it as a text',
} as const

/** A column that is said to be of texts may have them. */
function isErrorText(text: string, { role, type, isTyped }: Column): boolean {
  return text.includes('#') && ERROR_TEXTS.has(text.trim()) && role !== 'ignored' && !(isTyped && type === 'text')
}

interface FaultyCell {
  readonly fault: FindingCode
  readonly text: string
}

/** A cell of a sheet that has no value. */
function placeFault(draft: RowDraft, column: Column, { fault, text }: FaultyCell): void {
  placeValue(draft, column, { fault: { code: fault, message: FAULTS[fault] ?? fault } }, text)
}

function placeCell(draft: RowDraft, column: Column, cell: string, rules: CellRules): void {
  const { nullToken, isTrimmed } = rules
  const read = rules.readCell(cell)
  const text = isTrimmed ? read?.trim() : read
  if (text === undefined) {
    addFinding(draft, { column: column.name, value: cell, code: 'bad_escape', message: BAD_ESCAPE })
    return
  }
  if (text !== nullToken && isErrorText(text, column)) {
    placeValue(draft, column, { fault: ERROR_TEXT }, text)
    return
  }
  const converted = text === nullToken ? { value: null } : (column.convert?.(text) ?? convertCell(text, column.type))
  // Expressions read what a conversion made of the cell.
  if (draft.given) {
    const isConverted = column.convert !== undefined && 'value' in converted
    setAtPath(draft.given, [column.name], isConverted ? converted.value : text)
  }
  if (column.role === 'ignored') {
    // A header row may end in a delimiter; the cells below it then have no name.
    if (column.name === '') {
      addFinding(draft, { column: '', value: text, code: 'unnamed_column', message: 'its column has no name' })
    }
    return
  }
  placeValue(draft, column, converted, text)
}

function raggedDraft(cells: readonly string[], place: RowPlace, { columns }: CellRules): RowDraft | undefined {
  if (cells.every((cell) => cell === '')) return undefined
  const draft = createDraft(place, false)
  addFinding(draft, {
    column: undefined,
    value: cells.at(-1),
    code: 'ragged_row',
    message: `it has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, and the header row has ${columns.length}`,
  })
  return draft
}
