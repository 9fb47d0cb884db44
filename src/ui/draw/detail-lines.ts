import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { textWidth, wrapText } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import type { DealNotes } from '../state.ts'
import type { Theme } from './theme.ts'

export interface DetailArea {
  readonly width: number
  readonly height: number
}

export interface Detail {
  readonly row: CrmRecord
  readonly staged: JsonObject | undefined
  readonly notes: Pick<DealNotes, 'items' | 'cut'> | undefined
  /** The number of lines scrolled out at the top. */
  readonly top: number
}

const LONGEST_VALUE = 4000

/** Every member of the row, and notes if the server lists them; lines that do not fit are counted. */
export function detailLines(detail: Detail, area: DetailArea, theme: Theme): readonly string[] {
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
function allLines({ row, staged, notes }: Detail, width: number, theme: Theme): string[] {
  const names = Object.keys(row).toSorted((one, other) => Number(isReadOnly(one)) - Number(isReadOnly(other)))
  const nameWidth = Math.min(16, Math.max(4, ...names.map((name) => textWidth(cellText(name).slice(0, 16)))))
  const lines: string[] = []
  let isNoted = false
  for (const name of [...names, ...addedNames(row, staged)]) {
    if (!isNoted && isReadOnly(name)) {
      lines.push(...noteLines(notes, width, theme))
      isNoted = true
    }
    const isStaged = staged !== undefined && Object.hasOwn(staged, name)
    const value = isStaged ? staged[name] : row[name]
    const [first = '', ...rest] = wrapText(valueText(value), Math.max(8, width - nameWidth - 2))
    const head = `${fitCell(cellText(name), nameWidth)}  `
    const paint = isStaged ? theme.warn : (text: string) => text
    lines.push(theme.dim(head) + paint(fitCell(first, width - nameWidth - 2)))
    for (const line of rest) lines.push(paint(fitCell(' '.repeat(nameWidth + 2) + line, width)))
  }
  return isNoted ? lines : [...lines, ...noteLines(notes, width, theme)]
}

function noteLines(notes: Detail['notes'], width: number, theme: Theme): readonly string[] {
  const lines = (notes?.items ?? []).flatMap((note) => {
    const when = typeof note.created_at === 'string' ? ` ${note.created_at.slice(0, 10)}` : ''
    const body = wrapText(valueText(note.body), width - 2).map((line) => fitCell(`  ${line}`, width))
    return [theme.bold(fitCell(safeText(`note${when}`), width)), ...body]
  })
  const cut = notes?.cut === undefined ? [] : wrapText(safeText(notes.cut), width)
  return [...lines, ...cut.map((line) => theme.warn(fitCell(line, width)))]
}

function addedNames(row: CrmRecord, staged: JsonObject | undefined): readonly string[] {
  return staged ? Object.keys(staged).filter((name) => !Object.hasOwn(row, name)) : []
}

function valueText(value: JsonValue | undefined): string {
  const isLong = typeof value === 'string' && value.length > LONGEST_VALUE
  const text = cellText(isLong ? value.slice(0, LONGEST_VALUE) : value)
  return isLong ? `${text}… (${value.length} characters)` : text
}
