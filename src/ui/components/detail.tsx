import type { JsonValue } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { textWidth, wrapText } from '../../output/terminal-text.ts'
import { fitCell, type TimeStyle } from '../list/columns.ts'
import type { EventDiff } from '../list/event-diff.ts'
import type { Theme } from '../look/theme.ts'
import type { RecordHistory, RecordNotes } from '../state.ts'
import { historyLines } from '../text/history-lines.ts'
import { diffLine } from '../text/painted-diff.ts'
import { shortTime } from '../text/short-time.ts'
import { valueLines, valueText } from '../text/value-lines.ts'
import { Rows } from './rows.tsx'

export interface DetailArea {
  readonly width: number
  readonly height: number
}

export interface DetailParts {
  readonly row: CrmRecord
  readonly notes: Pick<RecordNotes, 'items' | 'cut'> | undefined
  readonly history?: RecordHistory | undefined
  /** The number of lines scrolled out at the top. */
  readonly top: number
  readonly times: TimeStyle
  /** Of an event: what it changed. */
  readonly diff: EventDiff | undefined
}

interface DetailProps {
  readonly parts: DetailParts
  readonly area: DetailArea
  readonly theme: Theme
}

/** Every member of the row, and notes if the server lists them; lines that do not fit are counted. */
export function Detail({ parts, area, theme }: DetailProps) {
  return <Rows lines={detailLines(parts, area, theme)} />
}

export function detailLines(detail: DetailParts, area: DetailArea, theme: Theme): readonly string[] {
  const { width, height } = area
  const lines = allLines(detail, width, theme)
  const top = Math.max(0, Math.min(detail.top, lines.length - height))
  const shown = lines.slice(top, top + height)
  const below = lines.length - top - height
  if (below > 0) shown[height - 1] = theme.dim(fitCell(`… ${below + 1} more lines, J scrolls`, width))
  while (shown.length < height) shown.push(' '.repeat(width))
  return shown
}

/** Members set by the server are last. */
function allLines({ row, notes, history, times, diff }: DetailParts, width: number, theme: Theme): string[] {
  const names = Object.keys(row).toSorted((one, other) => Number(isReadOnly(one)) - Number(isReadOnly(other)))
  const nameWidth = Math.min(16, Math.max(4, ...names.map((name) => textWidth(cellText(name).slice(0, 16)))))
  const lines: string[] = []
  if (diff) lines.push(...eventDiffLines(diff, { width, theme, times }))
  let isNoted = false
  for (const name of names) {
    if (!isNoted && isReadOnly(name)) {
      lines.push(...noteLines(notes, { width, theme, times }))
      isNoted = true
    }
    const head = `${fitCell(cellText(name), nameWidth)}  `
    const room = width - nameWidth - 2
    const values = valueLines(name, row[name], { width: room, theme, times })
    lines.push(...values.map((line, at) => (at === 0 ? theme.dim(head) : ' '.repeat(head.length)) + line))
  }
  if (!isNoted) lines.push(...noteLines(notes, { width, theme, times }))
  return [...lines, ...historyLines(history, { width, theme, times })]
}

interface DiffArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** What an event changed since the one before it, or why that is not known. */
function eventDiffLines(diff: EventDiff, { width, theme, times }: DiffArea): readonly string[] {
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

interface NotesArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** The notes of a record as a timeline, the newest first. */
function noteLines(
  notes: Pick<RecordNotes, 'items' | 'cut'> | undefined,
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
