import { cellName, columnLetters, placeOfCell, SHEET_COLUMNS, SHEET_ROWS } from './cell-names.ts'
import type { NumberKind, NumberKinds } from './number-formats.ts'
import { attributeOf, type XmlEvents, XmlFault } from './scan-xml.ts'
import { createTextRuns, type SharedStrings, unescapeControls } from './shared-strings.ts'

const DAY_MS = 86_400_000

/** 9999-12-31. */
const LAST_DAY = { from1900: 2_958_465, from1904: 2_957_003 }

/** xsd:double, without NaN and infinity. */
const DOUBLE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Larger exponents stay as they are. */
const MOST_ZEROS = 30

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

interface CellRules extends DateSystem {
  readonly sheet: string
  readonly strings: SharedStrings
  readonly kinds: NumberKinds
}

/** The rows of a worksheet, as its XML is read. XmlFault for cells that are out of order, or beyond the last row or column. */
export function sheetEvents(rules: CellRules, events: SheetEvents): XmlEvents {
  const runs = createTextRuns()
  let [row, column, isHidden, isIn] = [0, -1, false, '']
  let cells: SheetCell[] = []
  let [type, style, value, formula] = ['n', 0, '', undefined as string | undefined]
  const refuse = (what: string): never => {
    throw new XmlFault(`${cellName(rules.sheet, `${columnLetters(Math.max(0, column))}${row}`)}: ${what}`)
  }
  const openRow = (attributes: string): void => {
    const next = Number(attributeOf(attributes, 'r') ?? row + 1)
    if (!Number.isInteger(next) || next <= row || next > SHEET_ROWS) refuse(`the row ${next} follows`)
    row = next
    isHidden = /\shidden\s*=\s*["'](?:1|true)/.test(attributes)
    column = -1
    cells = []
  }
  const openCell = (attributes: string): void => {
    const named = attributeOf(attributes, 'r')
    const place = named === undefined ? { row, column: column + 1 } : placeOfCell(named)
    if (!place || place.row !== row || place.column <= column || place.column >= SHEET_COLUMNS) {
      refuse(`the cell ${named ?? 'beyond the last column'} follows`)
    } else column = place.column
    type = attributeOf(attributes, 't') ?? 'n'
    style = Number(attributeOf(attributes, 's') ?? 0)
    value = ''
    formula = undefined
  }
  return {
    open(name, attributes) {
      if (name === 'c') openCell(attributes)
      else if (name === 'v') isIn = 'v'
      else if (name === 'is') isIn = 'is'
      else if (name === 'f') {
        isIn = 'f'
        formula = ''
      } else if (name === 'row') openRow(attributes)
      else if (name === 'mergeCell') events.merged(attributeOf(attributes, 'ref') ?? '')
      else if (isIn === 'is') runs.open(name)
    },
    text(text) {
      if (isIn === 'v') value += text
      else if (isIn === 'is') runs.add(text)
      else if (isIn === 'f') formula = `${formula}${text}`
    },
    close(name) {
      if (name === 'c') {
        const cell = cellOf({ type, kind: rules.kinds[style] ?? 'number', value, formula }, rules)
        if (cell) cells.push({ column, ...cell, isFormula: formula !== undefined })
      } else if (name === 'row') events.row({ row, isHidden, cells })
      else if (name === 'is') value = runs.take()
      if (isIn === 'is' && name !== 'is') runs.close(name)
      else isIn = ''
    },
  }
}

interface RawCell {
  readonly type: string
  readonly kind: NumberKinds[number]
  readonly value: string
  readonly formula: string | undefined
}

type ReadCell = Omit<SheetCell, 'column' | 'isFormula'> | undefined

/** Undefined for an empty cell. */
function cellOf({ type, kind, value, formula }: RawCell, { strings, ...system }: CellRules): ReadCell {
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
      return numberCell(value, kind, system)
    default:
      throw new XmlFault(`a cell of the unknown type ${JSON.stringify(type)}`)
  }
}

function textCell(text: string): ReadCell {
  return text === '' ? undefined : { text, kind: 'text', fault: undefined }
}

function numberCell(value: string, kind: NumberKinds[number], system: DateSystem): ReadCell {
  const number = plainNumber(value)
  if (number === undefined) return faulty(value, 'not_a_number')
  if (kind === 'number') return { text: number, kind: 'number', fault: undefined }
  const date = dateText(Number(number), kind, system)
  return date === undefined ? faulty(number, 'not_a_date') : textCell(date)
}

function faulty(text: string, fault: CellFault): ReadCell {
  return { text, kind: 'text', fault }
}

/**
 * A number as JSON writes it, with the digits of the cell, without an exponent if that is readable, and without the decimals of
 * `5.0`, which some programs write for 5; undefined if it is none.
 */
function plainNumber(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DOUBLE.exec(text.trim()) ?? []
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent)
  const minus = sign === '-' ? '-' : ''
  if (Math.abs(shift) > MOST_ZEROS) {
    const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
    return `${minus}${digits}e${shift}`
  }
  const [left, right] = shifted(whole, fraction, shift)
  return `${minus}${left.replace(/^0+(?=\d)/, '') || '0'}${/[1-9]/.test(right) ? `.${right}` : ''}`
}

function shifted(whole: string, fraction: string, shift: number): readonly [string, string] {
  if (shift >= 0) {
    const padded = fraction.padEnd(shift, '0')
    return [`${whole}${padded.slice(0, shift)}`, padded.slice(shift)]
  }
  const padded = whole.padStart(-shift, '0')
  const at = padded.length + shift
  return [padded.slice(0, at), `${padded.slice(at)}${fraction}`]
}

interface DateSystem {
  /** Whether days count from 1904, as in old workbooks of the Macintosh. */
  readonly is1904: boolean
}

/**
 * A number of days as ISO 8601; undefined for a day that does not exist: before the first, after the year 9999, or
 * 29 February 1900, which Lotus 1-2-3 had, and therefore Excel.
 */
function dateText(serial: number, kind: NumberKind, { is1904 }: DateSystem): string | undefined {
  if (!(serial >= 0)) return undefined
  const totalMs = Math.round(serial * DAY_MS)
  if (kind === 'duration') return durationText(totalMs)
  const [day, timeMs] = [Math.floor(totalMs / DAY_MS), totalMs % DAY_MS]
  // In the system of 1900, day 0 is the day before the first one: a time alone.
  if (day === 0 && (kind === 'time' || !is1904)) return clockText(timeMs)
  if (day > (is1904 ? LAST_DAY.from1904 : LAST_DAY.from1900) || (!is1904 && day === 60)) return undefined
  const date = new Date(epochMs(day, is1904) + day * DAY_MS).toISOString().slice(0, 10)
  return kind === 'date' && timeMs === 0 ? date : `${date}T${clockText(timeMs)}`
}

function epochMs(day: number, is1904: boolean): number {
  if (is1904) return Date.UTC(1904, 0, 1)
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
}

/** `10:30:00`, with milliseconds if there are any. */
function clockText(timeMs: number): string {
  return new Date(timeMs)
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '')
}

function durationText(totalMs: number): string {
  const hours = Math.floor(totalMs / 3_600_000)
  return `${String(hours).padStart(2, '0')}:${clockText(totalMs % 3_600_000).slice(3)}`
}
