import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { cellText } from '../../output/cell-text.ts'
import { textWidth } from '../../output/text-width.ts'
import { wrapText } from '../../output/wrap-text.ts'
import { fitCell } from '../text/fit-cell.ts'
import type { Theme } from './theme.ts'

export interface DetailArea {
  readonly width: number
  readonly height: number
}

export interface Detail {
  readonly row: CrmRecord
  readonly staged: JsonObject | undefined
  readonly notes: readonly CrmRecord[] | undefined
}

const LONGEST_VALUE = 4000

/** Every member of the row, and the notes where the server lists them; what does not fit is counted. */
export function detailLines({ row, staged, notes }: Detail, area: DetailArea, theme: Theme): readonly string[] {
  const { width, height } = area
  const names = Object.keys(row)
  const nameWidth = Math.min(16, Math.max(4, ...names.map((name) => textWidth(cellText(name).slice(0, 16)))))
  const lines: string[] = []
  for (const name of [...names, ...addedNames(row, staged)]) {
    const isStaged = staged !== undefined && Object.hasOwn(staged, name)
    const value = isStaged ? staged[name] : row[name]
    const [first = '', ...rest] = wrapText(valueText(value), Math.max(8, width - nameWidth - 2))
    const head = `${fitCell(cellText(name), nameWidth)}  `
    const paint = isStaged ? theme.warn : (text: string) => text
    lines.push(theme.dim(head) + paint(fitCell(first, width - nameWidth - 2)))
    for (const line of rest) lines.push(paint(fitCell(' '.repeat(nameWidth + 2) + line, width)))
  }
  for (const note of notes ?? []) {
    lines.push(theme.bold(fitCell('note', width)))
    for (const line of wrapText(valueText(note.body), width - 2)) lines.push(fitCell(`  ${line}`, width))
  }
  const shown = lines.slice(0, height)
  if (lines.length > height) shown[height - 1] = theme.dim(fitCell(`… ${lines.length - height + 1} more lines`, width))
  while (shown.length < height) shown.push(' '.repeat(width))
  return shown
}

function addedNames(row: CrmRecord, staged: JsonObject | undefined): readonly string[] {
  return staged ? Object.keys(staged).filter((name) => !Object.hasOwn(row, name)) : []
}

function valueText(value: JsonValue | undefined): string {
  const isLong = typeof value === 'string' && value.length > LONGEST_VALUE
  const text = cellText(isLong ? value.slice(0, LONGEST_VALUE) : value)
  return isLong ? `${text}… (${value.length} characters)` : text
}
