import { fitText, textWidth } from './text-width.ts'

export interface Layout {
  /** At least 1 each. */
  readonly widths: readonly number[]
  readonly aligns: readonly ('left' | 'right')[]
  /** Whether a cell wider than its column is cut; otherwise it overflows. */
  readonly isCut: boolean
}

export const GAP = 2

/** Draws one line per row, with aligned cells and no trailing blanks. */
export type DrawLines = (layout: Layout, rows: readonly (readonly string[])[]) => string[]

/** cli-table3 takes a second for 2,000 rows, and longer per row the more there are. */
const MOST_ROWS = 200

/** From a private use area; cli-table3 measures it as one column. */
const STAND_IN = '\uE000'

/** A combining mark, for a cell of no width; cli-table3 measures it as none. */
const WIDTHLESS_STAND_IN = '\u036F'

const STAND_INS = new RegExp(`${STAND_IN}+|${WIDTHLESS_STAND_IN}`, 'g')

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

/** For rows that stream. */
export const drawRows: DrawLines = (layout, rows) =>
  fitRows(layout, rows).map((row) => {
    const cells = row.map((cell, at) => {
      const blank = ' '.repeat(Math.max(0, (layout.widths[at] ?? 1) - textWidth(cell)))
      return layout.aligns[at] === 'right' ? blank + cell : cell + blank
    })
    return cells.join(' '.repeat(GAP)).replace(/ +$/, '')
  })

/**
 * For tables that are whole. cli-table3 lays out stand-ins as wide as the cells, which replace them afterwards: its own
 * measure of flags, keycaps and some scripts is wrong.
 */
export async function loadDrawTable(): Promise<DrawLines> {
  const { default: Table } = await import('cli-table3')
  return (layout, rows) => {
    if (rows.length > MOST_ROWS) return drawRows(layout, rows)
    const { widths, aligns } = layout
    const table = new Table({
      chars: BORDERLESS,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
      colWidths: [...widths],
      colAligns: [...aligns],
    })
    const fitted = fitRows(layout, rows)
    table.push(...fitted.map((row) => row.map((cell, at) => standInFor(cell, widths[at] ?? 1))))
    const cells = fitted
      .flat()
      .filter((cell) => cell !== '')
      .values()
    const lines = table.toString().split('\n')
    return rows.map((_, at) => (lines[at] ?? '').replace(STAND_INS, () => cells.next().value ?? '').replace(/ +$/, ''))
  }
}

function fitRows({ widths, isCut }: Layout, rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => widths.map((width, at) => (isCut ? fitText(row[at] ?? '', width) : (row[at] ?? ''))))
}

function standInFor(cell: string, width: number): string {
  if (cell === '') return ''
  return STAND_IN.repeat(Math.min(width, textWidth(cell))) || WIDTHLESS_STAND_IN
}
