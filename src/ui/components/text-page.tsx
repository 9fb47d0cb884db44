import { wrapText } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import type { Text } from '../overlay.ts'
import { type OverlayLines, PANEL_COLUMNS } from './panel.tsx'

interface Size {
  readonly columns: number
  readonly rows: number
}

/** Rows of the screen that stay: the header, the title, its rule, and the keys with theirs. */
const FREE_ROWS = 5

/** A text to read, scrolled where it does not fit. */
export function textSheet(text: Text, size: Size): OverlayLines {
  const { columns } = size
  const all = wrapped(text, size)
  const room = roomOf(all, size)
  const from = Math.max(0, Math.min(text.top, all.length - room))
  const range = all.length > room ? `: ${from + 1}-${from + room} of ${all.length} lines · j k Space scroll` : ''
  const lines = all.slice(from, from + room).map((line) => fitCell(` ${line}`, columns))
  return { title: `${text.title}${range} · Esc closes`, lines, cursor: undefined }
}

/** The greatest scroll position. */
export function lastTextTop(text: Text, { columns, rows }: Size): number {
  const size = { columns: columns - PANEL_COLUMNS, rows }
  const all = wrapped(text, size)
  return Math.max(0, all.length - roomOf(all, size))
}

function roomOf(all: readonly string[], { rows }: Size): number {
  return Math.min(all.length, rows - FREE_ROWS)
}

function wrapped({ lines }: Text, { columns }: Size): readonly string[] {
  return lines.flatMap((line) => (line === '' ? [''] : wrapText(line, columns - 2)))
}
