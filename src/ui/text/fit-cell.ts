import type { JsonValue } from '../../core/json.ts'
import { cellText } from '../../output/cell-text.ts'
import { fitText, textWidth } from '../../output/text-width.ts'

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
