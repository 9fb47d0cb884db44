import { cutQuoted, type DelimitedRecord } from './cut-quoted.ts'
import type { Cut, Cutter, Window } from './cut-records.ts'
import { DIALECT_FAULTS, type Dialect, type DialectFault } from './dialect.ts'
import { inputError } from './input-error.ts'

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
        throw inputError({ name, ...place, ...DIALECT_FAULTS[fault] })
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
    line += record.lines
    used = record.next
  }
  return { cuts, used, line }
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
