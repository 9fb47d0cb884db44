import { open } from 'node:fs/promises'
import { toMachineError } from '../../../files/machine-error.ts'
import { type Mapping, parseMap } from '../columns.ts'
import { numberFormatOf } from '../conversions.ts'
import type { ReadSheet, RowOptions } from '../row.ts'
import { cellName, columnLetters, placeOfCell, SHEET_COLUMNS } from './cell-names.ts'
import { readNumberKinds } from './number-cells.ts'
import { type CellFault, type CellKind, type SheetEvents, type SheetRow, sheetEvents } from './read-cells.ts'
import { XmlFault } from './scan-xml.ts'
import { readSharedStrings } from './shared-strings.ts'
import { chooseSheet, readIndex, type Sheet } from './sheets.ts'
import { openParts, workbookError } from './workbook-parts.ts'

const MOST_FAULTS = 1_000_000
const GIB = 1024 ** 3
/** Rows of few cells are padded to the width of the headings, so that a small archive could fill a disk. */
const MOST_BYTES = 4 * GIB

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
  const { name, to } = input
  const parts = await openParts(input)
  try {
    const index = await readIndex(parts, name)
    const sheet = chooseSheet(index, input.sheet, name)
    const strings = await readSharedStrings(parts, index.sharedStrings)
    const kinds = await readNumberKinds(parts, index.styles)
    const rows = new SheetRows(input, sheet.name)
    await using file = await open(to, 'wx', 0o600)
    const write = (text: string) =>
      file.appendFile(text).catch((error: unknown) => {
        throw toMachineError(error, to)
      })
    const rules = { sheet: sheet.name, strings, kinds, is1904: index.is1904 }
    await parts.scan(sheet.path, sheetEvents(rules, rows), async (done, total) => {
      input.onBytes(done, total)
      await write(rows.takeText())
    })
    await write(rows.takeText())
    rows.end()
    const notes = [...sheetNotes(index.sheets, sheet), ...rows.notes()]
    return {
      name: sheet.name,
      notes,
      types: rows.types(),
      faultAt: (row, column) => rows.faults.get(keyOf(row, column)),
    }
  } finally {
    parts.close()
  }
}

function keyOf(row: number, column: number): number {
  return row * SHEET_COLUMNS + column
}

function sheetNotes(sheets: readonly Sheet[], { name, isHidden }: Sheet): readonly string[] {
  const others = sheets.filter((sheet) => sheet.name !== name && !sheet.isHidden)
  const hidden = sheets.filter((sheet) => sheet.name !== name && sheet.isHidden)
  return [
    ...(isHidden ? [`The sheet ${JSON.stringify(name)} is hidden.`] : []),
    ...(others.length === 0 ? [] : [`Other sheets: ${namesOf(others)}; --sheet reads one of them`]),
    ...(hidden.length === 0 ? [] : [`Hidden sheets: ${namesOf(hidden)}`]),
  ]
}

function namesOf(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, 10).map(({ name }) => JSON.stringify(name))
  const more = sheets.length - names.length
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

const SPECIAL = /[",\p{Cc}]|^\s/u

/** The rows of a sheet as CSV in which a record is a row of the sheet, so that its number is that of the row; and what a text cannot say. */
class SheetRows implements SheetEvents {
  /** Of cells without a usable value. */
  readonly faults = new Map<number, CellFault>()
  readonly #input: WorkbookInput
  readonly #sheet: string
  /** What the cells of each column are. */
  readonly #found: Set<CellKind>[] = []
  readonly #counts = { formulas: 0, hidden: 0, merged: 0 }
  readonly #merged: string[] = []
  #marks: readonly string[] = []
  #headRow = 0
  #last = 0
  #text = ''
  #bytes = 0

  constructor(input: WorkbookInput, sheet: string) {
    this.#input = input
    this.#sheet = sheet
  }

  row(row: SheetRow): void {
    const { cells } = row
    if (cells.length === 0) return
    if (this.#headRow === 0) this.#addHeadings(row)
    else this.#addRow(row)
    this.#last = row.row
    const texts: string[] = new Array(Math.max(this.#found.length, (cells.at(-1)?.column ?? 0) + 1)).fill('')
    for (const { column, kind, text } of cells) {
      const marked = kind === 'number' ? text.replace('.', this.#marks[column] ?? '.') : text
      texts[column] = SPECIAL.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked
    }
    this.#text += `${texts.join(',')}\n`
  }

  merged(range: string): void {
    const [first, last] = range.split(':').map((cell) => placeOfCell(cell.replaceAll('$', '')))
    if (!first || !last) return
    if (this.#headRow > 0 && first.row <= this.#headRow && last.row >= this.#headRow) {
      const what = 'the cells of a heading are merged, expected one heading in each column'
      throw this.#error(range, what, 'undo the merge, and delete rows above the headings')
    }
    this.#counts.merged += 1
    if (this.#merged.length < 3) this.#merged.push(range)
  }

  types(): ReadSheet['types'] {
    return this.#found.map((kinds) => {
      const [kind, ...others] = kinds
      return others.length > 0 || kind === 'text' ? undefined : kind
    })
  }

  notes(): readonly string[] {
    const { formulas, hidden, merged } = this.#counts
    const more = merged > this.#merged.length ? ', …' : ''
    const ranges = `a value in the first cell alone: ${this.#merged.join(', ')}${more}`
    return [
      ...counted(formulas, 'formula is', 'formulas are', 'read as the value that the program stored'),
      ...counted(hidden, 'hidden row is', 'hidden rows are', 'read, too'),
      ...counted(merged, 'merged range has', 'merged ranges have', ranges),
    ]
  }

  /** What was added since the last call. */
  takeText(): string {
    const text = this.#text
    this.#text = ''
    this.#bytes += text.length
    if (this.#bytes > MOST_BYTES) throw new XmlFault(`more than ${MOST_BYTES / GIB} GiB of cells`)
    return text
  }

  end(): void {
    if (this.#headRow > 0) return
    throw workbookError(this.#input.name, {
      what: `the sheet ${JSON.stringify(this.#sheet)} is empty, expected a row of headings`,
      hint: '--sheet NAME reads another sheet',
    })
  }

  #addHeadings({ row, cells }: SheetRow): void {
    const faulty = cells.find(({ fault }) => fault !== undefined)
    if (faulty) {
      const cell = `${columnLetters(faulty.column)}${row}`
      throw this.#error(cell, `${JSON.stringify(faulty.text)} is no heading`, 'write a name for the column there')
    }
    this.#text = '\n'.repeat(row - 1)
    this.#headRow = row
    const headings: string[] = new Array((cells.at(-1)?.column ?? 0) + 1).fill('')
    for (const { column, text } of cells) headings[column] = text
    for (const _ of headings) this.#found.push(new Set())
    this.#marks = decimalMarks(headings, parseMap(this.#input.read.map), this.#input.read.decimal)
  }

  #addRow({ row, isHidden, cells }: SheetRow): void {
    this.#text += '""\n'.repeat(row - this.#last - 1)
    if (isHidden) this.#counts.hidden += 1
    for (const { column, kind, fault, isFormula } of cells) {
      if (fault !== undefined) this.faults.set(keyOf(row, column), fault)
      else {
        if (isFormula) this.#counts.formulas += 1
        this.#found[column]?.add(kind)
      }
    }
    if (this.faults.size > MOST_FAULTS) throw new XmlFault(`more than ${MOST_FAULTS} cells with errors`)
  }

  #error(cell: string, what: string, hint: string): Error {
    return workbookError(this.#input.name, { what, place: cellName(this.#sheet, cell), hint })
  }
}

function counted(count: number, one: string, many: string, more: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many} ${more}`]
}

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
