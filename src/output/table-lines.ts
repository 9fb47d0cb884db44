import type Table from 'cli-table3'
import { fitText, textWidth } from './text-width.ts'

export interface Layout {
  /** At least 1 each. */
  readonly widths: readonly number[]
  readonly aligns: readonly ('left' | 'right')[]
  /** Whether a cell wider than its column is cut; otherwise it overflows. */
  readonly isCut: boolean
}

export const GAP = 2

/** From a private use area; cli-table3 measures it as one column. */
const STAND_IN = '\uE000'

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
}

/**
 * Draws one line per row, with aligned cells. cli-table3 lays out one row of stand-ins, which are then replaced by the
 * cells: it measures flags, keycaps and some scripts wrongly, and is limited to 7,000 rows a second.
 */
export function drawLines(Lib: typeof Table, layout: Layout, rows: readonly (readonly string[])[]): string[] {
  const table = new Lib({
    chars: BORDERLESS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...layout.widths],
  })
  table.push(layout.widths.map((width) => STAND_IN.repeat(width)))
  const [before = '', ...behind] = table.toString().split(new RegExp(`${STAND_IN}+`))
  return rows.map((row) => {
    const cells = behind.map((gap, index) => fillCell(row[index] ?? '', layout, index) + gap)
    return (before + cells.join('')).replace(/ +$/, '')
  })
}

function fillCell(text: string, { widths, aligns, isCut }: Layout, index: number): string {
  const width = widths[index] ?? 1
  const cell = isCut ? fitText(text, width) : text
  const blank = ' '.repeat(Math.max(0, width - textWidth(cell)))
  return aligns[index] === 'right' ? blank + cell : cell + blank
}
