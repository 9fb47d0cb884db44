import { setAtPath } from '../../core/json.ts'
import { restoreDefused } from '../../output/safe-text.ts'
import { type Column, convertCell } from './columns.ts'
import { createDelimitedCutter, type Dialect, unescapeTsv } from './cut-delimited.ts'
import { type CutInput, codecOf, cutRecords } from './cut-records.ts'
import { type InputPlace, inputError } from './input-file.ts'
import type { InputRow, RowOptions } from './row.ts'
import { addFinding, createDraft, placeValue, type RowDraft } from './row-draft.ts'

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
export async function readHeaderRow(input: DelimitedInput): Promise<HeaderLine> {
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

export async function* readDelimited(
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
