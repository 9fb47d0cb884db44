import { safeText } from '../../output/safe-text.ts'
import { fitCell } from '../list/columns.ts'
import type { ColumnChooser } from '../overlay.ts'
import type { Theme } from './theme.ts'

const KEYS = '   Space shows or hides · J K moves · Enter applies · r as at first · Esc drops'

/** The lines of the chooser, with the selected column visible. */
export function columnsLines(
  { items, index, vital }: ColumnChooser,
  size: { columns: number; rows: number },
  theme: Theme,
) {
  const { columns, rows } = size
  const room = Math.max(3, Math.min(items.length, rows - 8))
  const top = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room))
  const lines = items.slice(top, top + room).map(({ name, isShown }, at) => {
    const note = vital.includes(name) ? '  always shown' : ''
    const line = fitCell(
      ` ${top + at === index ? '❯' : ' '} [${isShown ? 'x' : ' '}] ${safeText(name)}${note}`,
      columns,
    )
    if (top + at === index) return theme.inverse(line)
    return isShown ? line : theme.dim(line)
  })
  return [theme.bold(fitCell(' Columns', columns)), ...lines, theme.dim(fitCell(KEYS, columns))]
}
