import { textWidth } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import type { Theme } from '../look/theme.ts'
import { type DiffLine, diffParts } from './diff-line.ts'

/** Old values are red and new ones green; the arrow tells them apart without colour. */
export function diffLine(line: DiffLine, width: number, theme: Theme): string {
  let left = width - 2
  let text = '  '
  for (const { text: part, as } of diffParts(line)) {
    const fitted = textWidth(part) <= left ? part : fitCell(part, left)
    left -= textWidth(fitted)
    text += as === 'plain' ? fitted : as === 'old' ? theme.bad(fitted) : theme.good(fitted)
  }
  return text + ' '.repeat(left)
}
