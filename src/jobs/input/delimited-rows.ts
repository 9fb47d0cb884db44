import { setAtPath } from '../../core/json.ts'
import { isOfNumericType } from '../../core/resources/field.ts'
import { restoreDefused } from '../../output/safe-text.ts'
import { type Converted, convertCell, type WrongValue } from './cell-values.ts'
import { type Column, editOf, parseMap } from './columns.ts'
import { decimalConverter, withConversions } from './conversions.ts'
import type { DecodedText } from './cut-records.ts'
import { dialectOf, type InputSample, lineEndOf } from './dialect.ts'
import { planColumns } from './header-row.ts'
import { inputError } from './input-file.ts'
import { type DelimitedText, readDelimitedRecords } from './read-delimited.ts'
import { type FindingCode, type InputFormat, NO_LINE, type RowOptions, type RowSpan } from './row.ts'
import { addFinding, createDraft, type OpenInput, placeValue, type RowDraft } from './row-draft.ts'

/** The text of a cell or a heading; undefined for an invalid escape. */
type ReadCell = (cell: string) => string | undefined

/** csv, tsv and the text of a sheet: a header row, then one record per line. */
export async function openDelimited(
  options: RowOptions,
  text: DecodedText,
  format: InputFormat,
  sample: InputSample,
): Promise<OpenInput> {
  const { name, kind, server, relations, isNewAllowed, readSheet, isCsvSafe } = options
  const mappings = await withConversions(parseMap(options.map), options)
  const { dialect, start } = dialectOf(options, format, sample)
  const input = { ...text, dialect, start }
  const plain: ReadCell = format === 'tsv' ? unescapeTsv : (cell) => cell
  const readCell: ReadCell = isCsvSafe ? (cell) => mapped(plain(cell), restoreDefused) : plain
  const head = await readHeaderRow(input, readCell)
  const planned = planColumns({
    ...head,
    name,
    kind,
    mappings,
    server,
    relations,
    isNewAllowed,
    sheet: readSheet?.name,
  })
  // What the cells of a column are, where neither crm nor `--map` knows its type.
  const types = planned.map(({ role, isKnown, isTyped, convert }, at) =>
    role === 'field' && !isKnown && !isTyped && !convert ? readSheet?.types[at] : undefined,
  )
  const columns = planned.map((column, at) =>
    withDecimal({ ...column, ...(types[at] && { type: types[at], isTyped: true }) }, options.decimal),
  )
  const rules = { ...options, columns, readCell }
  return {
    summary: {
      format,
      ...(readSheet && { sheet: readSheet.name }),
      encoding: options.text.encoding,
      hasBom: options.text.hasBom,
      delimiter: dialect.delimiter,
      quote: dialect.quote,
      lineEnd: lineEndOf(sample, dialect),
      head: { offset: head.offset, length: head.length },
      columns: columns.map((column, at) => ({
        name: column.name,
        field: column.role === 'ignored' ? undefined : column.field,
        ...(types[at] && { type: types[at] }),
        ...(isOfTexts(column) && { isText: true as const }),
        ...editOf(column),
      })),
    },
    areCells: true,
    async *drafts(onBlank) {
      let isHead = true
      for await (const records of readDelimitedRecords(input)) {
        yield records.slice(isHead ? 1 : 0).flatMap((record) => {
          const draft = cellsToRow(record.cells, record, rules)
          if (!draft) onBlank(record.line)
          return draft ?? []
        })
        isHead = false
      }
    },
  }
}

function isOfTexts({ type, isTyped }: Column): boolean {
  return isTyped && type === 'text'
}

/** `--decimal` is for all numbers that have no format of their own. */
function withDecimal(column: Column, decimal: RowOptions['decimal']): Column {
  const { type } = column
  if (decimal === undefined || (type !== 'number' && type !== 'integer') || column.convert) return column
  const read = decimalConverter(decimal)
  const readWhole = (text: string): Converted => {
    const converted = read(text)
    if ('fault' in converted || isOfNumericType(converted.value, 'integer')) return converted
    return { fault: { code: 'not_an_integer', message: 'expected a whole number' } }
  }
  return { ...column, convert: type === 'integer' ? readWhole : read }
}

/** The first line that is not blank; CrmError when there is none. */
async function readHeaderRow(input: DelimitedText, readCell: ReadCell) {
  for await (const [first] of readDelimitedRecords(input)) {
    if (!first) continue
    const { line, offset, length } = first
    return { line, offset, length, headers: first.cells.map((cell) => (readCell(cell) ?? cell).trim()) }
  }
  throw inputError({
    ...{ name: input.name, line: 1, what: 'the input is empty, expected a header row' },
    hint: 'give a file with a header row, such as name,email',
  })
}

function mapped(text: string | undefined, change: (text: string) => string): string | undefined {
  return text === undefined ? undefined : change(text)
}

const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

const BAD_ESCAPES = /(?<!\\)(?:\\\\)*\\(?![tnr0\\])/

/** Reverses the escapes that `-o tsv` writes; undefined for an invalid one. */
function unescapeTsv(text: string): string | undefined {
  return BAD_ESCAPES.test(text) ? undefined : text.replace(/\\(.)/g, (_, char: string) => MEANINGS[char] ?? '')
}

interface CellRules
  extends Pick<RowOptions, 'nullToken' | 'isTrimmed' | 'isEmptyCleared' | 'isCsvSafe' | 'readSheet' | 'compute'> {
  readonly columns: readonly Column[]
  readonly readCell: ReadCell
}

/**
 * An empty cell leaves its field unchanged; a cell with the null token clears it. Undefined for a line of empty cells, such
 * as spreadsheets write below the last row.
 */
function cellsToRow(cells: readonly string[], place: RowSpan, rules: CellRules): RowDraft | undefined {
  const { columns, isTrimmed } = rules
  if (cells.length !== columns.length) return raggedDraft(cells, place, rules)
  const draft = createDraft(place, rules.compute.length > 0)
  let isBlank = true
  for (let at = 0; at < columns.length; at++) {
    const [cell = '', column] = [cells[at], columns[at]]
    if (column?.role === 'earlier_line') draft.row.earlierLine = NO_LINE
    if (!column) continue
    if (cell === '' || (isTrimmed && cell.trim() === '')) {
      if (rules.isEmptyCleared && column.role === 'field') placeValue(draft, column, { value: null }, '')
      continue
    }
    isBlank = false
    placeCell(draft, column, { cell, fault: rules.readSheet?.faultAt(place.line, at) }, rules)
  }
  return isBlank ? undefined : draft
}

function raggedDraft(cells: readonly string[], place: RowSpan, { columns }: CellRules): RowDraft | undefined {
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

interface GivenCell {
  readonly cell: string
  /** Why a cell of a sheet has no value. */
  readonly fault: FindingCode | undefined
}

function placeCell(draft: RowDraft, column: Column, given: GivenCell, rules: CellRules): void {
  const { nullToken, isTrimmed, readCell } = rules
  const read = readCell(given.cell)
  const text = (isTrimmed ? read?.trim() : read) ?? given.cell
  const fault = read === undefined ? BAD_ESCAPE : faultOf(text, column, given, rules)
  if (fault) {
    placeValue(draft, column, { fault }, text)
    return
  }
  const converted = text === nullToken ? { value: null } : (column.convert?.(text) ?? convertCell(text, column.type))
  // Expressions read what a conversion made of the cell.
  if (draft.given) {
    const isConverted = column.convert !== undefined && 'value' in converted
    setAtPath(draft.given, [column.name], isConverted ? converted.value : text)
  }
  if (column.role !== 'ignored') placeValue(draft, column, converted, text)
  // A header row may end in a delimiter; the cells below it then have no name.
  else if (column.name === '') {
    addFinding(draft, { column: '', value: text, code: 'unnamed_column', message: 'its column has no name' })
  }
}

const BAD_ESCAPE: WrongValue = {
  code: 'bad_escape',
  message: String.raw`expected \t, \n, \r, \0 or \\ after a backslash; if backslashes are plain text: --format csv`,
}

const SHEET_FAULTS: Partial<Record<FindingCode, string>> = {
  cell_error: 'an error of a formula, expected a value',
  formula_without_value: 'a formula without its value; open the file in a spreadsheet program and save it',
  not_a_date: 'a number of days that is no date',
  not_a_number: 'expected a number',
}

/** What spreadsheet programs save in place of a value that a formula has not; of Excel in English. */
const ERROR_TEXTS = new Set('#N/A #REF! #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC!'.split(' '))

const ERROR_TEXT: WrongValue = {
  code: 'cell_error',
  message: 'the error of a formula, expected a value; --map COLUMN=FIELD:text keeps it as a text',
}

const DEFUSED: WrongValue = {
  code: 'csv_safe',
  message:
    'an apostrophe before a formula, as --csv-safe writes it; --from-csv-safe takes it off, --map COLUMN=FIELD:text keeps it',
}

const MARKED_TEXT: WrongValue = {
  code: 'csv_safe',
  message:
    'an apostrophe before digits, which spreadsheets use to mark text; remove it, or keep it with --map COLUMN=FIELD:text',
}

/** Why a cell is probably not what a person wrote; a column that is said to be of texts may have anything. */
function faultOf(text: string, column: Column, { fault }: GivenCell, rules: CellRules): WrongValue | undefined {
  if (column.role === 'ignored') return undefined
  if (fault !== undefined) return { code: fault, message: SHEET_FAULTS[fault] ?? fault }
  if (isOfTexts(column)) return undefined
  if (text.includes('#') && text !== rules.nullToken && ERROR_TEXTS.has(text.trim())) return ERROR_TEXT
  // No program shows such an apostrophe to the person who typed it.
  if (/^'+[=+\-@]/.test(text) && !rules.isCsvSafe && !rules.readSheet) return DEFUSED
  if (/^'\(?\d[\d ()./-]*$/.test(text) && !rules.readSheet) return MARKED_TEXT
  return undefined
}
