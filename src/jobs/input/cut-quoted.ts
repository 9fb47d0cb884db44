import type { Dialect, DialectFault } from './dialect.ts'

export interface QuotedText {
  readonly units: string
  /** Whether the units end the input. */
  readonly isLast: boolean
  readonly dialect: Dialect
  readonly refuse: (at: number, fault: DialectFault) => never
}

export interface DelimitedRecord {
  readonly cells: readonly string[]
  /** The end of its text, without the line end. */
  readonly end: number
  /** Where the next record starts. */
  readonly next: number
  /** The number of lines that the record takes. */
  readonly lines: number
}

interface Cell {
  readonly text: string
  /** The position after the cell. */
  readonly end: number
  readonly newlines: number
}

/** The record at `start`, in which a cell has a quote; undefined if its end is not in the units yet. */
export function cutQuoted(text: QuotedText, start: number): DelimitedRecord | undefined {
  const { units, dialect, refuse } = text
  const cells: string[] = []
  let at = start
  let lines = 1
  for (;;) {
    const isQuoted = units[at] === dialect.quote
    const cell = isQuoted ? quotedCell(text, at) : plainCell(text, at)
    if (!cell) return undefined
    cells.push(cell.text)
    lines += cell.newlines
    at = cell.end + 1
    if (units[cell.end] === dialect.delimiter) continue
    const next = nextRecord(text, cell.end)
    if (next === undefined) return undefined
    if (next < 0) return refuse(cell.end, isQuoted ? 'after_quote' : faultAt(text, cell.end))
    return { cells, end: cell.end, next, lines }
  }
}

function quotedCell({ units, isLast, dialect, refuse }: QuotedText, open: number): Cell | undefined {
  const quote = dialect.quote ?? ''
  let text = ''
  for (let from = open + 1; ; ) {
    const close = units.indexOf(quote, from)
    if (close < 0) return isLast ? refuse(open, 'open_quote') : undefined
    // The next character decides whether this quote closes the cell.
    if (close + 1 === units.length && !isLast) return undefined
    if (units[close + 1] !== quote) {
      const newlines = units.slice(open, close).split(dialect.newline).length - 1
      return { text: text + units.slice(from, close), end: close + 1, newlines }
    }
    text += units.slice(from, close + 1)
    from = close + 2
  }
}

/** A quote inside an unquoted cell is text; after leading blanks it was probably meant to open the cell, and is refused. */
function plainCell({ units, isLast, dialect }: QuotedText, start: number): Cell | undefined {
  const { delimiter, quote, newline } = dialect
  let at = start
  for (; at < units.length; at++) {
    const unit = units[at]
    if (unit === delimiter || unit === newline || unit === '\0' || unit === '\r') break
    if (unit === quote && units.slice(start, at).trim() === '') break
  }
  if (at === units.length && !isLast) return undefined
  return { text: units.slice(start, at), end: at, newlines: 0 }
}

/** The position after the line end at `at`; -1 if there is no line end, undefined if the units do not show it yet. */
function nextRecord({ units, isLast, dialect }: QuotedText, at: number): number | undefined {
  if (at === units.length) return isLast ? at : undefined
  if (units[at] === dialect.newline) return at + 1
  if (units[at] !== '\r') return -1
  if (at + 1 === units.length && !isLast) return undefined
  return units[at + 1] === dialect.newline ? at + 2 : -1
}

function faultAt({ units }: QuotedText, at: number): DialectFault {
  if (units[at] === '\r') return 'lone_return'
  return units[at] === '\0' ? 'nul' : 'stray_quote'
}
