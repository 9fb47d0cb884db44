import { type Mapping, parseMap } from '../columns.ts'
import { numberFormatOf } from '../convert/numbers.ts'
import type { ReadSheet, RowOptions } from '../row.ts'
import { cellName, columnLetters, placeOfCell, SHEET_COLUMNS } from './cell-names.ts'
import { readNumberKinds } from './number-formats.ts'
import { type CellFault, type CellKind, type SheetRow, sheetEvents } from './read-cells.ts'
import { XmlFault } from './scan-xml.ts'
import { NO_STRINGS, readSharedStrings } from './shared-strings.ts'
import { SheetText } from './sheet-text.ts'
import { chooseSheet, readIndex, type WorkbookIndex } from './sheets.ts'
import { workbookError } from './workbook-error.ts'
import { openParts } from './workbook-parts.ts'

const MOST_FAULTS = 1_000_000

const CODES: readonly CellFault[] = ['cell_error', 'formula_without_value', 'not_a_date', 'not_a_number']

/** The cells of a sheet without a usable value, in the order of the sheet; eight bytes each. */
class CellFaults {
  #keys = new Float64Array(64)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** XmlFault if there are too many to keep. */
  add(row: number, column: number, fault: CellFault): void {
    if (this.#count >= MOST_FAULTS) throw new XmlFault(`more than ${MOST_FAULTS} cells with errors`)
    if (this.#count === this.#keys.length) {
      const keys = new Float64Array(2 * this.#keys.length)
      keys.set(this.#keys)
      this.#keys = keys
    }
    this.#keys[this.#count++] = keyOf(row, column) + CODES.indexOf(fault)
  }

  at(row: number, column: number): CellFault | undefined {
    const wanted = keyOf(row, column)
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#keys[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low < this.#count ? CODES[(this.#keys[low] ?? 0) - wanted] : undefined
  }
}

export interface WorkbookInput {
  /** The workbook. */
  readonly path: string
  /** As named on the command line. */
  readonly name: string
  /** The file for its text, which is created. */
  readonly to: string
  readonly sheet: string | undefined
  readonly read: Pick<RowOptions, 'map' | 'decimal'>
  readonly signal: AbortSignal
  onBytes(done: number, total: number): void
}

/** Writes one sheet of a workbook as text. CrmError `invalid_input` for a workbook or a sheet that cannot be read. */
export async function readWorkbook(input: WorkbookInput): Promise<ReadSheet> {
  const { name } = input
  const parts = await openParts(input)
  try {
    const index = await readIndex(parts, name)
    const sheet = chooseSheet(index, input.sheet, name)
    const has = (path: string | undefined): path is string => path !== undefined && parts.has(path)
    const strings = has(index.sharedStrings) ? await readSharedStrings(parts, index.sharedStrings) : NO_STRINGS
    const kinds = has(index.styles) ? await readNumberKinds(parts, index.styles) : []
    const writer = new SheetWriter(input, sheet.name)
    try {
      const rules = { sheet: sheet.name, strings, kinds, is1904: index.is1904 }
      await parts.scan(sheet.path, sheetEvents(rules, writer), input.onBytes)
      writer.end()
    } finally {
      writer.close()
    }
    const notes = [...sheetNotes(index, sheet), ...writer.notes()]
    return { name: sheet.name, notes, types: writer.types(), faultAt: (row, column) => writer.faults.at(row, column) }
  } finally {
    parts.close()
  }
}

function sheetNotes({ sheets }: WorkbookIndex, { name, isHidden }: { name: string; isHidden: boolean }): string[] {
  const others = sheets.filter((sheet) => sheet.name !== name && !sheet.isHidden)
  const hidden = sheets.filter((sheet) => sheet.name !== name && sheet.isHidden)
  return [
    ...(isHidden ? [`The sheet ${JSON.stringify(name)} is hidden.`] : []),
    ...(others.length === 0 ? [] : [`Other sheets: ${namesOf(others)}; --sheet reads one of them`]),
    ...(hidden.length === 0 ? [] : [`Hidden sheets: ${namesOf(hidden)}`]),
  ]
}

function namesOf(sheets: WorkbookIndex['sheets']): string {
  const names = sheets.slice(0, 10).map(({ name }) => JSON.stringify(name))
  return names.length < sheets.length
    ? `${names.join(', ')} and ${sheets.length - names.length} more`
    : names.join(', ')
}

/** Writes the rows from the headings on, and collects what a text cannot say. */
class SheetWriter {
  readonly faults = new CellFaults()
  readonly #input: WorkbookInput
  readonly #sheet: string
  readonly #text: SheetText
  readonly #found: Set<CellKind>[] = []
  #marks: readonly string[] = []
  #headRow = 0
  #width = 0
  /** The last row that was written. */
  #last = 0
  #hidden = 0
  #formulas = 0
  readonly #merged: string[] = []
  #mergedCount = 0

  constructor(input: WorkbookInput, sheet: string) {
    this.#input = input
    this.#sheet = sheet
    this.#text = new SheetText(input.to)
  }

  row(row: SheetRow): void {
    if (row.cells.length === 0) return
    if (this.#headRow === 0) this.#addHeadings(row)
    else this.#addRow(row)
    this.#last = row.row
  }

  merged(range: string): void {
    const [first, last] = range.split(':').map((cell) => placeOfCell(cell.replaceAll('$', '')))
    if (!first || !last) return
    if (this.#headRow > 0 && first.row <= this.#headRow && last.row >= this.#headRow) {
      throw this.#error(range, 'the cells of a heading are merged, expected one heading in each column', UNMERGE)
    }
    this.#mergedCount += 1
    if (this.#merged.length < 3) this.#merged.push(range)
  }

  types(): ReadSheet['types'] {
    return this.#found.map((kinds) => {
      const [kind, ...others] = kinds
      return others.length > 0 || kind === 'text' ? undefined : kind
    })
  }

  notes(): readonly string[] {
    const formulas = this.#formulas === 1 ? '1 formula is' : `${this.#formulas} formulas are`
    const rows = this.#hidden === 1 ? '1 hidden row is' : `${this.#hidden} hidden rows are`
    const ranges = this.#mergedCount === 1 ? '1 merged range has' : `${this.#mergedCount} merged ranges have`
    const more = this.#mergedCount > this.#merged.length ? ', …' : ''
    return [
      ...(this.#formulas === 0 ? [] : [`${formulas} read as the value that the program stored`]),
      ...(this.#hidden === 0 ? [] : [`${rows} read, too`]),
      ...(this.#mergedCount === 0
        ? []
        : [`${ranges} a value in the first cell alone: ${this.#merged.join(', ')}${more}`]),
    ]
  }

  end(): void {
    this.#text.end()
    if (this.#headRow > 0) return
    throw workbookError(this.#input.name, {
      what: `the sheet ${JSON.stringify(this.#sheet)} is empty, expected a row of headings`,
      hint: '--sheet NAME reads another sheet',
    })
  }

  /** May be called after `end`. */
  close(): void {
    this.#text.close()
  }

  #addHeadings({ row, cells }: SheetRow): void {
    const faulty = cells.find(({ fault }) => fault !== undefined)
    if (faulty) {
      const cell = `${columnLetters(faulty.column)}${row}`
      throw this.#error(cell, `${JSON.stringify(faulty.text)} is no heading`, 'write a name for the column there')
    }
    for (let at = 1; at < row; at++) this.#text.addBlank()
    this.#headRow = row
    this.#width = (cells.at(-1)?.column ?? 0) + 1
    const headings = this.#textsOf(cells)
    this.#marks = decimalMarks(headings, parseMap(this.#input.read.map), this.#input.read.decimal)
    for (let at = 0; at < this.#width; at++) this.#found.push(new Set())
    this.#text.add(headings)
  }

  #addRow({ row, isHidden, cells }: SheetRow): void {
    for (let at = this.#last + 1; at < row; at++) this.#text.addEmpty()
    if (isHidden) this.#hidden += 1
    for (const { column, kind, fault, isFormula } of cells) {
      if (isFormula && fault === undefined) this.#formulas += 1
      if (fault === undefined) this.#found[column]?.add(kind)
      else this.faults.add(row, column, fault)
    }
    this.#text.add(this.#textsOf(cells))
  }

  #textsOf(cells: SheetRow['cells']): string[] {
    const width = Math.max(this.#width, (cells.at(-1)?.column ?? 0) + 1)
    const texts: string[] = new Array(width).fill('')
    for (const { column, kind, text } of cells) {
      const mark = this.#marks[column] ?? '.'
      texts[column] = kind === 'number' && mark !== '.' ? text.replace('.', mark) : text
    }
    return texts
  }

  #error(cell: string, what: string, hint: string): Error {
    return workbookError(this.#input.name, { what, place: cellName(this.#sheet, cell), hint })
  }
}

const UNMERGE = 'undo the merge, and delete rows above the headings'

/**
 * The decimal mark with which the numbers of each column are written, so that `--decimal` and `:number(1.234,50)` read numbers
 * of cells like those that are texts, in the first reading and in that of corrected rows.
 */
function decimalMarks(
  headings: readonly string[],
  mappings: ReadonlyMap<string, Mapping>,
  decimal: RowOptions['decimal'],
): readonly string[] {
  return headings.map((heading, at) => {
    const { type, conversion } = mappings.get(heading.trim()) ?? mappings.get(`#${at + 1}`) ?? {}
    const { name, argument } = conversion ?? {}
    if (name === 'number' && argument !== undefined) {
      return numberFormatOf(argument, `--map number(${argument})`).decimal ?? '.'
    }
    return decimal === 'comma' && type !== 'json' ? ',' : '.'
  })
}

function keyOf(row: number, column: number): number {
  return (row * SHEET_COLUMNS + column) * CODES.length
}
