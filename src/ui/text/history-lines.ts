import { isJsonObject, memberOf } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/terminal-text.ts'
import { fitCell, type TimeStyle } from '../list/columns.ts'
import type { Theme } from '../look/theme.ts'
import type { RecordHistory } from '../state.ts'
import type { DiffLine } from './diff-line.ts'
import { diffLine } from './painted-diff.ts'
import { valueChange } from './plan-diff.ts'
import { shortTime } from './short-time.ts'

interface HistoryArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** The changes of a record, the newest first: when, what, by which key and job, and each member from its old to its new value. */
export function historyLines(history: RecordHistory | undefined, area: HistoryArea): readonly string[] {
  if (!history) return []
  const { width, theme, times } = area
  const { changes, cut } = history
  const heads = changes.length > 0 ? [theme.bold(fitCell('changes', width))] : []
  const entries = changes.flatMap((change) => [
    theme.accent('●') + theme.bold(fitCell(` ${changeHead(change, times)}`, width - 1)),
    ...memberChanges(change).map((line) => diffLine(line, width, theme)),
  ])
  const rest = cut === undefined ? [] : wrapText(safeText(cut), width)
  return [...heads, ...entries, ...rest.map((line) => theme.dim(fitCell(line, width)))]
}

/** `07:18:23 · updated · warehouse · job_0s9ps`. */
export function changeHead({ at, action, key_name: key, job }: CrmRecord, { nowMs, isWhole }: TimeStyle): string {
  const when = isWhole ? cellText(at) : shortTime(at, nowMs)
  return [when, ...[action, key, job].map(cellText)].filter((part) => part !== '').join(' · ')
}

/** Empty for a change that states no values, such as a deletion. */
export function memberChanges({ fields, old, new: next }: CrmRecord): readonly DiffLine[] {
  if (!Array.isArray(fields)) return []
  const valueIn = (values: unknown, name: string) => (isJsonObject(values) ? (memberOf(values, name) ?? null) : null)
  return fields
    .filter((name) => typeof name === 'string')
    .map((name) => valueChange(name, valueIn(old, name), valueIn(next, name)))
}
