import { parseExactJson } from '../../core/exact-json.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { defuse } from '../../output/formula.ts'
import { safeText } from '../../output/safe-text.ts'
import { FAILED_MEMBER, FAILED_PREFIX } from './columns.ts'
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

/** The user's object on one line, unchanged, with the failure as its last member. */
export function failedObject(json: string, [line, code, field, reason]: FailureCells): string {
  const told = JSON.stringify({ line: Number(line), code, field: field === '' ? null : field, reason })
  const own = withoutTold(json.replace(/\s*[\r\n]\s*/g, ' ').trim())
  const body = own.slice(0, -1).trimEnd()
  return `${body}${body === '{' ? '' : ','}"${FAILED_MEMBER}":${told}}`
}

/** A line of an earlier failed-rows file ends with the failure of that time. */
function withoutTold(json: string): string {
  if (!json.includes(`"${FAILED_MEMBER}"`)) return json
  const value = parseExactJson(json)
  if (!isJsonObject(value) || !Object.hasOwn(value, FAILED_MEMBER)) return json
  const { [FAILED_MEMBER]: told, ...own } = value as JsonObject
  const ending = `"${FAILED_MEMBER}":${JSON.stringify(told)}}`
  return json.endsWith(ending) ? `${json.slice(0, -ending.length).replace(/,$/, '')}}` : JSON.stringify(own)
}
