import { cellName, columnLetters, placeOfCell, SHEET_COLUMNS, SHEET_ROWS } from './cell-names.ts'
import { dateText, type NumberKind, plainNumber } from './number-cells.ts'
import { attributeOf, type XmlEvents, XmlFault } from './scan-xml.ts'
import { createTextRuns, type SharedStrings, unescapeControls } from './shared-strings.ts'

/** What a cell has; `empty` cells are not reported. */
export type CellKind = 'text' | 'number' | 'boolean'

export type CellFault = 'cell_error' | 'formula_without_value' | 'not_a_date' | 'not_a_number'

export interface SheetCell {
  /** From 0. */
  readonly column: number
  readonly text: string
  readonly kind: CellKind
  readonly fault: CellFault | undefined
  /** Whether the value is what the program last computed. */
  readonly isFormula: boolean
}

export interface SheetRow {
  /** From 1. */
  readonly row: number
  readonly isHidden: boolean
  /** Those with a value, from left to right. */
  readonly cells: readonly SheetCell[]
}

export interface SheetEvents {
  row(row: SheetRow): void
  /** `A1:C1`, after all rows. */
  merged(range: string): void
}

interface CellRules {
  readonly sheet: string
  readonly strings: SharedStrings
  /** By the number of a cell style. */
  readonly kinds: readonly NumberKind[]
  readonly is1904: boolean
}

/** The rows of a worksheet, as its XML is read. XmlFault for cells that are out of order, or beyond the last row or column. */
export function sheetEvents(rules: CellRules, events: SheetEvents): XmlEvents {
  const runs = createTextRuns()
  let [row, column, isHidden, inside] = [0, -1, false, '']
  let cells: SheetCell[] = []
  let raw: RawCell = { type: 'n', style: 0, value: '', formula: undefined }
  const refuse = (what: string): never => {
    throw new XmlFault(`${cellName(rules.sheet, `${columnLetters(Math.max(0, column))}${row}`)}: ${what}`)
  }
  const openRow = (attributes: string): void => {
    const next = Number(attributeOf(attributes, 'r') ?? row + 1)
    if (!Number.isInteger(next) || next <= row || next > SHEET_ROWS) refuse(`the row ${next} follows`)
    isHidden = /\shidden\s*=\s*["'](?:1|true)/.test(attributes)
    ;[row, column, cells] = [next, -1, []]
  }
  const openCell = (attributes: string): void => {
    const named = attributeOf(attributes, 'r')
    const place = named === undefined ? { row, column: column + 1 } : placeOfCell(named)
    if (!place || place.row !== row || place.column <= column || place.column >= SHEET_COLUMNS) {
      refuse(`the cell ${named ?? 'beyond the last column'} follows`)
    } else column = place.column
    const [type = 'n', style = 0] = [attributeOf(attributes, 't'), attributeOf(attributes, 's')]
    raw = { type, style: Number(style), value: '', formula: undefined }
  }
  return {
    open(name, attributes) {
      if (name === 'c') openCell(attributes)
      else if (name === 'row') openRow(attributes)
      else if (name === 'mergeCell') events.merged(attributeOf(attributes, 'ref') ?? '')
      else if (name === 'v' || name === 'is' || name === 'f') inside = name
      else if (inside === 'is') runs.open(name)
      if (name === 'f') raw.formula = ''
    },
    text(text) {
      if (inside === 'v') raw.value += text
      else if (inside === 'is') runs.add(text)
      else if (inside === 'f') raw.formula += text
    },
    close(name) {
      if (name === 'c') {
        const cell = cellOf(raw, rules)
        if (cell) cells.push({ column, ...cell, isFormula: raw.formula !== undefined })
      } else if (name === 'row') events.row({ row, isHidden, cells })
      else if (name === 'is') raw.value = runs.take()
      if (inside === 'is' && name !== 'is') runs.close(name)
      else inside = ''
    },
  }
}

interface RawCell {
  readonly type: string
  readonly style: number
  value: string
  formula: string | undefined
}

type ReadCell = Omit<SheetCell, 'column' | 'isFormula'> | undefined

/** Undefined for an empty cell. */
function cellOf({ type, style, value, formula }: RawCell, { strings, kinds, is1904 }: CellRules): ReadCell {
  if (value === '' && formula !== undefined && type !== 'str') return faulty(`=${formula}`, 'formula_without_value')
  if (value === '') return undefined
  switch (type) {
    case 's':
      return textCell(strings.at(Number(value)))
    case 'inlineStr':
      return textCell(value)
    case 'str':
      return textCell(unescapeControls(value))
    case 'b':
      return { text: value === '1' || value === 'true' ? 'true' : 'false', kind: 'boolean', fault: undefined }
    case 'e':
      return faulty(value, 'cell_error')
    case 'd':
      return textCell(value.replace(/T00:00:00(?:\.0+)?Z?$/, ''))
    case 'n':
      return numberCell(value, kinds[style] ?? 'number', is1904)
    default:
      throw new XmlFault(`a cell of the unknown type ${JSON.stringify(type)}`)
  }
}

function textCell(text: string): ReadCell {
  return text === '' ? undefined : { text, kind: 'text', fault: undefined }
}

function numberCell(value: string, kind: NumberKind, is1904: boolean): ReadCell {
  const number = plainNumber(value)
  if (number === undefined) return faulty(value, 'not_a_number')
  if (kind === 'number') return { text: number, kind: 'number', fault: undefined }
  const date = dateText(Number(number), kind, is1904)
  return date === undefined ? faulty(number, 'not_a_date') : textCell(date)
}

function faulty(text: string, fault: CellFault): ReadCell {
  return { text, kind: 'text', fault }
}
