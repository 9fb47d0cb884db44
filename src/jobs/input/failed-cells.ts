import { defuse } from '../../output/formula.ts'
import { safeText } from '../../output/safe-text.ts'
import { FAILED_PREFIX } from './known-fields.ts'
import type { Verdict } from './row.ts'

/** Our columns of a row, which follow those of the user. */
export type FailureCells = readonly [line: string, code: string, field: string, reason: string]

export const FAILURE_COLUMNS: FailureCells = [
  `${FAILED_PREFIX}line`,
  `${FAILED_PREFIX}code`,
  `${FAILED_PREFIX}field`,
  `${FAILED_PREFIX}reason`,
]

interface LineRules {
  readonly verdict: Verdict
  /** As the codec of the input has it. */
  toUnits(text: string): string
}

/** The user's cells as they are, without those of an earlier failed-rows file, and ours behind them; all of it as units. */
export function failedLine(units: string, added: FailureCells, { verdict, toUnits }: LineRules): string {
  const { delimiter = ',' } = verdict
  return [ownCells(units, verdict), ...added.map((text) => toUnits(cellText(text, verdict)))].join(delimiter)
}

function ownCells(units: string, verdict: Verdict): string {
  const { columns, delimiter = ',' } = verdict
  if (!columns.some(({ name }) => name.startsWith(FAILED_PREFIX))) return units
  const kept = cutCells(units, verdict).filter((_, at) => !columns[at]?.name.startsWith(FAILED_PREFIX))
  return kept.join(delimiter)
}

/** With their quotes; the line is known to keep the rules. */
function cutCells(units: string, { delimiter = ',', quote }: Verdict): readonly string[] {
  const cells: string[] = []
  for (let start = 0; ; ) {
    const from = quote !== undefined && units[start] === quote ? behindQuotes(units, start, quote) : start
    const end = units.indexOf(delimiter, from)
    cells.push(units.slice(start, end < 0 ? units.length : end))
    if (end < 0) return cells
    start = end + 1
  }
}

function behindQuotes(units: string, open: number, quote: string): number {
  let at = units.indexOf(quote, open + 1)
  while (units[at + 1] === quote) at = units.indexOf(quote, at + 2)
  return at + 1
}

/** On one line, and nothing that a spreadsheet would run: reasons hold what a server wrote. */
function cellText(text: string, { format, delimiter = ',', quote }: Verdict): string {
  const shown = defuse(safeText(text))
  if (format === 'tsv') return shown.replaceAll('\\', '\\\\')
  if (!shown.includes(delimiter) && (quote === undefined || !shown.includes(quote))) return shown
  return quote === undefined
    ? shown.replaceAll(delimiter, ' ')
    : `${quote}${shown.replaceAll(quote, quote + quote)}${quote}`
}
