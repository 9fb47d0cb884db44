import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { fitCell, type TimeStyle } from '../list/columns.ts'
import type { EventDiff } from '../list/event-diff.ts'
import { shortTime } from '../text/short-time.ts'
import { diffLine } from './diff-lines.ts'
import type { Theme } from './theme.ts'

interface DiffArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** What an event changed since the one before it, or why that is not known. */
export function eventDiffLines(diff: EventDiff, { width, theme, times }: DiffArea): readonly string[] {
  const { before, lines, unstated } = diff
  const dim = (text: string) => theme.dim(fitCell(text, width))
  if (!before && !lines) return [dim('no earlier event of this record is loaded')]
  const head = theme.bold(fitCell(before ? sinceText(before, times) : 'changes that the event states', width))
  if (!lines) return [head, dim('  not compared: a body has no data, is not JSON, or is too long')]
  const none = lines.length === 0 ? [dim('  no member has changed')] : []
  const left = unstated > 0 ? [dim(`  ${unstated} of its members are not in this event`)] : []
  return [head, ...lines.map((line) => diffLine(line, width, theme)), ...none, ...left]
}

function sinceText({ event, received_at: received }: CrmRecord, { isWhole, nowMs }: TimeStyle): string {
  return `since ${cellText(event)} ${isWhole ? cellText(received) : shortTime(received, nowMs)}`
}
