import type { Cut, Cutter, Window } from './cut-records.ts'
import { inputError } from './input-file.ts'

export interface Dialect {
  readonly delimiter: string
  /** Undefined if quotes are text. */
  readonly quote: string | undefined
  /** The line end; a carriage return may precede a line feed. */
  readonly newline: '\n' | '\r'
  /** Each record counts as one line, as the rows of a sheet do. */
  readonly rowsAreLines?: boolean
}

/** Syntax errors after which the rest of a delimited text cannot be read. */
const DIALECT_FAULTS = {
  nul: {
    what: 'a NUL outside quotes, expected text',
    hint: 'the input may be damaged, or in another encoding: --encoding utf-16le',
  },
  dos_end: {
    what: 'the end-of-file mark of DOS (0x1A), expected the end of the file',
    hint: 'remove this last byte, for example with: head -c -1 FILE',
  },
  lone_return: {
    what: 'a carriage return in a cell without quotes, expected a line feed after it',
    hint: 'quote the cell, or use one kind of line end',
  },
  stray_quote: {
    what: 'a quote after blanks, expected it at the beginning of the cell',
    hint: 'remove the blanks; if quotes are plain text: --quote none',
  },
  after_quote: {
    what: 'text after the closing quote of a cell, expected a delimiter or the end of the line',
    hint: 'double the quotes inside the cell; if quotes are plain text: --quote none',
  },
  open_quote: {
    what: 'the quote that opens here is never closed',
    hint: 'close it, or double it; if quotes are plain text: --quote none',
  },
} as const satisfies Record<string, { readonly what: string; readonly hint: string }>

const WIDE_HINT = 'the input may be damaged, or in UTF-32, which iconv -f utf-32 -t utf-8 FILE converts'

type DialectFault = keyof typeof DIALECT_FAULTS

export interface DelimitedCut extends Cut {
  /** Units, without their quotes. */
  readonly cells: readonly string[]
}

/** A rare character and its next position, so that it is not searched for on every line. */
interface RareChar {
  readonly char: string
  next: number
}

/**
 * RFC 4180 with unambiguous extensions: other delimiters and line ends; blank lines, which are skipped; and quotes inside an
 * unquoted cell, which are text. Anything else is a CrmError with line and byte.
 */
export function createDelimitedCutter(dialect: Dialect, name: string, unitBytes: number): Cutter<DelimitedCut> {
  let line = 1
  return {
    line: () => line,
    cut: (window) => {
      const refuse = (at: number, fault: DialectFault): never => {
        const linesBefore = window.units.slice(0, at).split(dialect.newline).length - 1
        const place = { line: line + linesBefore, offset: window.offset + at * unitBytes }
        const isWide = fault === 'nul' && unitBytes === 2
        throw inputError({ name, ...place, ...DIALECT_FAULTS[fault], ...(isWide && { hint: WIDE_HINT }) })
      }
      if (window.isLast && window.units.endsWith('\x1a')) refuse(window.units.length - 1, 'dos_end')
      const result = cutWindow(window, dialect, { line, refuse })
      line = result.line
      return result
    },
  }
}

interface CutStart {
  readonly line: number
  readonly refuse: (at: number, fault: DialectFault) => never
}

interface Cutting {
  readonly cuts: DelimitedCut[]
  readonly used: number
  /** The line on which the next record starts. */
  readonly line: number
}

function cutWindow({ units, isLast }: Window, dialect: Dialect, { line: firstLine, refuse }: CutStart): Cutting {
  const { quote, newline } = dialect
  const quotes: RareChar = { char: quote ?? '', next: quote === undefined ? Number.POSITIVE_INFINITY : -1 }
  const cutPlain = createPlainCut(units, dialect, refuse)
  const cuts: DelimitedCut[] = []
  let line = firstLine
  let used = 0
  while (used < units.length) {
    const newlineAt = units.indexOf(newline, used)
    if (newlineAt < 0 && !isLast) break
    const lineEnd = newlineAt < 0 ? units.length : newlineAt
    const record =
      nextOf(quotes, units, used) < lineEnd
        ? cutQuoted({ units, isLast, dialect, refuse }, used)
        : cutPlain(used, lineEnd)
    if (!record) break
    if (record.end > used) cuts.push({ start: used, end: record.end, line, cells: record.cells })
    line += linesOf(record, dialect)
    used = record.next
  }
  return { cuts, used, line }
}

function linesOf({ lines }: DelimitedRecord, { rowsAreLines }: Dialect): number {
  return rowsAreLines ? 1 : lines
}

type PlainCut = (start: number, lineEnd: number) => DelimitedRecord

/** Cuts a line without quotes, as most lines are. */
function createPlainCut(units: string, { delimiter, newline }: Dialect, refuse: CutStart['refuse']): PlainCut {
  const returns: RareChar = { char: '\r', next: newline === '\r' ? Number.POSITIVE_INFINITY : -1 }
  const nuls: RareChar = { char: '\0', next: -1 }
  return (start, lineEnd) => {
    if (nextOf(nuls, units, start) < lineEnd) refuse(nuls.next, 'nul')
    let end = lineEnd
    if (nextOf(returns, units, start) < lineEnd) {
      end = returns.next
      if (end !== lineEnd - 1 || lineEnd === units.length) refuse(end, 'lone_return')
    }
    return { cells: units.slice(start, end).split(delimiter), end, next: Math.min(lineEnd + 1, units.length), lines: 1 }
  }
}

function nextOf(rare: RareChar, units: string, from: number): number {
  if (rare.next < from) {
    const at = units.indexOf(rare.char, from)
    rare.next = at < 0 ? Number.POSITIVE_INFINITY : at
  }
  return rare.next
}

interface QuotedText {
  readonly units: string
  /** Whether the units end the input. */
  readonly isLast: boolean
  readonly dialect: Dialect
  readonly refuse: (at: number, fault: DialectFault) => never
}

interface DelimitedRecord {
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
function cutQuoted(text: QuotedText, start: number): DelimitedRecord | undefined {
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

const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

/** Reverses the escapes that `-o tsv` writes; undefined for an invalid one. */
export function unescapeTsv(text: string): string | undefined {
  if (!text.includes('\\')) return text
  let isValid = true
  const plain = text.replace(/\\(.?)/gs, (_, char: string) => {
    const meaning = MEANINGS[char]
    if (meaning === undefined) isValid = false
    return meaning ?? ''
  })
  return isValid ? plain : undefined
}
