import type { JsonValue } from '../../core/json.ts'
import { fitText, textWidth } from '../../output/text-width.ts'
import { cellText } from '../../output/value-text.ts'

/** A column of a list; the last column is omitted first. */
export interface ListColumn {
  /** Name of the member. */
  readonly name: string
  readonly head: string
  readonly least: number
  readonly most: number
  readonly align?: 'right'
}

export interface FittedColumn {
  readonly column: ListColumn
  readonly width: number
}

export const COLUMN_GAP = 2

/** As many columns as fit with their least width, in order; the remaining width is distributed in turn. */
export function fitListColumns(columns: readonly ListColumn[], available: number): readonly FittedColumn[] {
  const shown: ListColumn[] = []
  let used = -COLUMN_GAP
  for (const column of columns) {
    if (used + COLUMN_GAP + column.least > available && shown.length > 0) break
    shown.push(column)
    used += COLUMN_GAP + column.least
  }
  const widths = shown.map(({ least }) => least)
  let spare = available - used
  for (let hasGrown = true; spare > 0 && hasGrown; ) {
    hasGrown = false
    for (const [index, { most }] of shown.entries()) {
      const width = widths[index] ?? 0
      if (spare <= 0 || width >= most) continue
      widths[index] = width + 1
      spare--
      hasGrown = true
    }
  }
  return shown.map((column, index) => ({ column, width: Math.min(widths[index] ?? 0, Math.max(1, available)) }))
}

/** Exactly `width` columns: cut with an ellipsis, or padded. The text must be safe. */
export function fitCell(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = fitText(text, width)
  const blank = ' '.repeat(Math.max(0, width - textWidth(cut)))
  return align === 'right' ? blank + cut : cut + blank
}

/** The text of a cell. Only the visible part is made safe, because a value may have a million characters. */
export function shortCell(value: JsonValue | undefined, width: number): string {
  return cellText(typeof value === 'string' && value.length > 8 * width ? value.slice(0, 8 * width) : value)
}
