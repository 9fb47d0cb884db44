import type { JsonValue } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { wrapText } from '../../output/terminal-text.ts'
import { fitCell, type TimeStyle } from '../list/columns.ts'
import type { DealNotes } from '../state.ts'
import { shortTime } from '../text/short-time.ts'
import type { Theme } from './theme.ts'
import { valueText } from './value-lines.ts'

interface NotesArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** The notes of a deal as a timeline, the newest first. */
export function noteLines(
  notes: Pick<DealNotes, 'items' | 'cut'> | undefined,
  { width, theme, times }: NotesArea,
): readonly string[] {
  if (!notes) return []
  const items = notes.items.toSorted(newestFirst)
  const count = items.length > 0 ? [theme.bold(fitCell(`notes (${items.length})`, width))] : []
  const entries = items.flatMap((note, at) => {
    const isLast = at === items.length - 1
    const body = wrapText(valueText(note.body), width - 2)
    return [
      theme.accent('●') + theme.bold(fitCell(` ${headText(note, times)}`, width - 1)),
      ...body.map((line) => theme.dim(isLast ? '  ' : '│ ') + fitCell(line, width - 2)),
    ]
  })
  const cut = notes.cut === undefined ? [] : wrapText(safeText(notes.cut), width)
  return [...count, ...entries, ...cut.map((line) => theme.warn(fitCell(line, width)))]
}

/** Notes without a time are last, in the order of the server. */
function newestFirst(one: CrmRecord, other: CrmRecord): number {
  return timeOf(other) - timeOf(one)
}

function timeOf({ created_at: time }: CrmRecord): number {
  return recordTimeMs(time) || 0
}

function headText({ created_at: time, author_id: author }: CrmRecord, times: TimeStyle): string {
  return [whenText(time, times), ...(typeof author === 'string' ? [cellText(author)] : [])].join(' · ')
}

/** `2026-11-24 · 2 d`, or whole. */
function whenText(time: JsonValue | undefined, { nowMs, isWhole }: TimeStyle): string {
  if (typeof time !== 'string') return 'no date'
  if (isWhole) return cellText(time)
  const date = cellText(time.slice(0, 10))
  const short = shortTime(time, nowMs)
  return short === date ? date : `${date} · ${short}`
}
