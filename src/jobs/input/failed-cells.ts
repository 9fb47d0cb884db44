import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { defuse, safeText } from '../../output/safe-text.ts'
import { FAILED_MEMBER, FAILED_PREFIX } from './columns.ts'
import type { FormatSummary } from './row.ts'

/** The cells that crm adds to a failed row, after those of the input. */
export type FailureCells = readonly [line: string, code: string, field: string, reason: string]

export const FAILURE_COLUMNS: FailureCells = [
  `${FAILED_PREFIX}line`,
  `${FAILED_PREFIX}code`,
  `${FAILED_PREFIX}field`,
  `${FAILED_PREFIX}reason`,
]

interface LineRules {
  readonly summary: FormatSummary
  /** Encodes with the codec of the input. */
  toUnits(text: string): string
}

/** The cells of the input, without those of an earlier failed-rows file, followed by the added cells; as units. */
export function failedLine(units: string, added: FailureCells, { summary, toUnits }: LineRules): string {
  const { delimiter = ',' } = summary
  return [inputCells(units, summary), ...added.map((text) => toUnits(cellText(text, summary)))].join(delimiter)
}

function inputCells(units: string, summary: FormatSummary): string {
  const { columns, delimiter = ',' } = summary
  if (!columns.some(({ name }) => name.startsWith(FAILED_PREFIX))) return units
  const kept = cutCells(units, summary).filter((_, at) => !columns[at]?.name.startsWith(FAILED_PREFIX))
  return kept.join(delimiter)
}

/** The cells with their quotes; the line is known to be valid. */
function cutCells(units: string, { delimiter = ',', quote }: FormatSummary): readonly string[] {
  const cells: string[] = []
  for (let start = 0; ; ) {
    const from = quote !== undefined && units[start] === quote ? endOfQuotes(units, start, quote) : start
    const end = units.indexOf(delimiter, from)
    cells.push(units.slice(start, end < 0 ? units.length : end))
    if (end < 0) return cells
    start = end + 1
  }
}

function endOfQuotes(units: string, open: number, quote: string): number {
  let at = units.indexOf(quote, open + 1)
  while (units[at + 1] === quote) at = units.indexOf(quote, at + 2)
  return at + 1
}

/** One line, without a formula that a spreadsheet would run: reasons contain text from a server. */
function cellText(text: string, { format, delimiter = ',', quote }: FormatSummary): string {
  const shown = defuse(safeText(text))
  if (format === 'tsv') return shown.replaceAll('\\', '\\\\')
  if (!shown.includes(delimiter) && (quote === undefined || !shown.includes(quote))) return shown
  return quote === undefined
    ? shown.replaceAll(delimiter, ' ')
    : `${quote}${shown.replaceAll(quote, quote + quote)}${quote}`
}

/** The object of the input on one line, with the failure as its last member. */
export function failedObject(json: string, [line, code, field, reason]: FailureCells): string {
  const failure = JSON.stringify({ line: Number(line), code, field: field === '' ? null : field, reason })
  const own = withoutFailure(json.replace(/\s*[\r\n]\s*/g, ' ').trim())
  const body = own.slice(0, -1).trimEnd()
  return `${body}${body === '{' ? '' : ','}"${FAILED_MEMBER}":${failure}}`
}

/** Removes the failure that an earlier failed-rows file added. */
function withoutFailure(json: string): string {
  if (!json.includes(`"${FAILED_MEMBER}"`)) return json
  const value = parseExactJson(json)
  if (!isJsonObject(value) || !Object.hasOwn(value, FAILED_MEMBER)) return json
  const { [FAILED_MEMBER]: failure, ...own } = value as JsonObject
  const ending = `"${FAILED_MEMBER}":${JSON.stringify(failure)}}`
  return json.endsWith(ending) ? `${json.slice(0, -ending.length).replace(/,$/, '')}}` : JSON.stringify(own)
}
