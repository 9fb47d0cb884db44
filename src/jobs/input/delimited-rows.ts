import { setAtPath } from '../../core/json.ts'
import { restoreDefused } from '../../output/safe-text.ts'
import { type Column, convertCell } from './columns.ts'
import type { DecodedText } from './cut-records.ts'
import { type Dialect, readDelimitedRecords } from './read-delimited.ts'
import { type FindingCode, type InputRow, NO_LINE, type ReadSheet, type RowOptions } from './row.ts'
import { addFinding, createDraft, placeValue, type RowDraft } from './row-draft.ts'

const BAD_ESCAPE = String.raw`expected \t, \n, \r, \0 or \\ after a backslash; if backslashes are plain text: --format csv`

export interface DelimitedInput extends DecodedText {
  readonly dialect: Dialect
  /** Whether cells have the backslash escapes of `-o tsv`. */
  readonly hasEscapes: boolean
  readonly isCsvSafe: boolean
}

type ReadCell = (cell: string) => string | undefined

/** The rows of csv and tsv as drafts. `onBlank` is called with the line of a row of empty cells. */
export async function* readDelimited(
  input: DelimitedInput,
  rules: CellRules,
  onBlank: (line: number) => void,
): AsyncGenerator<readonly RowDraft[]> {
  let isHead = true
  for await (const records of readDelimitedRecords(input, input.dialect)) {
    const drafts = (isHead ? records.slice(1) : records).map((record) => {
      const draft = cellsToRow(record.cells, record, rules)
      if (!draft) onBlank(record.line)
      return draft
    })
    isHead = false
    yield drafts.filter((draft) => draft !== undefined)
  }
}

/** Of a cell or a heading; undefined for an invalid escape. */
export function cellReader({ hasEscapes, isCsvSafe }: Pick<DelimitedInput, 'hasEscapes' | 'isCsvSafe'>): ReadCell {
  const withoutEscapes: ReadCell = hasEscapes ? unescapeTsv : (cell) => cell
  return (cell) => {
    const plain = withoutEscapes(cell)
    return isCsvSafe && plain !== undefined ? restoreDefused(plain) : plain
  }
}

const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

/** Reverses the escapes that `-o tsv` writes; undefined for an invalid one. */
function unescapeTsv(text: string): string | undefined {
  if (!text.includes('\\')) return text
  let isValid = true
  const plain = text.replace(/\\(.?)/gs, (_, char: string) => {
    const meaning = MEANINGS[char]
    if (meaning === undefined) isValid = false
    return meaning ?? ''
  })
  return isValid ? plain : undefined
}

interface CellRules extends Pick<RowOptions, 'nullToken' | 'isTrimmed' | 'isEmptyCleared' | 'isCsvSafe'> {
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
      positionText(draft, { column, cell, at }, rules)
    }
  }
  return isBlank ? undefined : draft
}

interface PlacedCell {
  readonly column: Column
  readonly cell: string
  readonly at: number
}

function positionText(draft: RowDraft, { column, cell, at }: PlacedCell, rules: CellRules): void {
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

const DEFUSED = {
  code: 'csv_safe',
  message:
    'an apostrophe before a formula, as --csv-safe writes it; --from-csv-safe takes it off, --map COLUMN=FIELD:text keeps it',
} as const

/** Whether a file that nothing says to be of `--csv-safe` has its mark: no program shows such an apostrophe to the person who typed it. */
function isDefused(text: string, { role, type, isTyped }: Column, { isCsvSafe, readSheet }: CellRules): boolean {
  const canBe = !isCsvSafe && !readSheet && role !== 'ignored' && !(isTyped && type === 'text')
  return canBe && /^'+[=+\-@]/.test(text)
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
  if (isDefused(text, column, rules)) {
    placeValue(draft, column, { fault: DEFUSED }, text)
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
