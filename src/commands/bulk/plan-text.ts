import { hasOperation, resourceOf } from '../../core/resources/registry.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { Forecast, PlanCounts } from '../../jobs/plan/plan-format.ts'

const MOST_FIELDS = 12

/** The plan in three lines for people. */
export function planLines(
  counts: PlanCounts,
  { fields, forecast, share }: { fields: MadeJob['fields']; forecast: Forecast; share: number },
): readonly string[] {
  const { rows, unchanged, skipped, fail = 0 } = counts
  const left = [`${unchanged} unchanged`, `${skipped} skipped`, `${fail} ambiguous`].filter(
    (part) => !part.startsWith('0 '),
  )
  const what = [...changes(counts), ...left].join(', ') || 'nothing'
  const lines = [`Plan: ${what}, of ${rows} ${rows === 1 ? 'row' : 'rows'}`]
  if (fields.length > 0) lines.push(`Fields: ${fieldsText(fields)}`)
  const { requests } = forecast
  if (requests > 0) {
    const times = requests === 1 ? '1 request' : `${requests} requests`
    lines.push(`Sends ${times}; limit: ${limitText(forecast, share)}; time: ${timeText(forecast)}`)
  }
  return lines
}

function changes({ create, update, delete: remove }: PlanCounts): readonly string[] {
  const parts: readonly (readonly [string, number])[] = [
    ['create', create],
    ['change', update],
    ['delete', remove],
  ]
  return parts.filter(([, count]) => count > 0).map(([verb, count]) => `${verb} ${count}`)
}

/** The number of creates that `jobs undo` cannot revert: the API has no deletion for them. */
export function cannotUndo({ create }: Pick<PlanCounts, 'create'>, noun: MadeJob['head']['noun']): number {
  return hasOperation(resourceOf(noun), 'delete') ? 0 : create
}

/** `email 4, phone 3 (1 cleared)`: the number of rows that write each field. */
export function fieldsText(fields: MadeJob['fields']): string {
  const shown = fields.slice(0, MOST_FIELDS).map(({ field, create, update, clear }) => {
    return `${field} ${create + update}${clear > 0 ? ` (${clear} cleared)` : ''}`
  })
  return fields.length > shown.length
    ? `${shown.join(', ')}, and ${fields.length - shown.length} more`
    : shown.join(', ')
}

export function limitText({ rate }: Forecast, share: number): string {
  if (!rate) return 'not stated'
  const { limit, windowMs, remaining } = rate
  const size = limit === undefined ? 'of an unstated size' : `${limit}`
  const window = windowMs === undefined ? '' : ` in ${durationText(windowMs)}`
  return `${size}${window}, ${remaining} left, crm uses ${Math.round(share * 100)}%`
}

/** The minimum by the rate limit; the speed of the server is not known before sending. */
export function timeText({ requests, atLeastMs }: Forecast): string {
  if (requests === 0) return 'none'
  if (atLeastMs === undefined) return 'not known'
  return atLeastMs === 0 ? 'no wait expected' : `at least ${durationText(atLeastMs)}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** `1 h 4 min`: the two largest units. */
function durationText(timeMs: number): string {
  const seconds = Math.max(1, Math.ceil(timeMs / 1000)) * 1000
  const at = UNITS.findIndex(([, ms]) => seconds >= ms)
  const [unit, unitMs] = UNITS[at] ?? ['s', 1000]
  const whole = Math.floor(seconds / unitMs)
  const [smaller, smallerMs] = UNITS[at + 1] ?? ['', 0]
  const rest = smallerMs === 0 ? 0 : Math.floor((seconds - whole * unitMs) / smallerMs)
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
}
