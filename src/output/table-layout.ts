import { type CrmRecord, READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import { fitText, textWidth } from './terminal-text.ts'

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

/** Fields set by the server are the least informative; they are omitted from the last to the first. An id is always kept. */
const LEAST_WANTED = READ_ONLY_FIELDS.filter((name) => name !== 'id')

/** From this width on, cutting a cell loses less than omitting a column. */
const MOST_WANTED = 40

/**
 * The columns of a table: the known ones. When a server sends other members instead, these replace the known columns that no
 * record has.
 */
export function heldColumns(columns: readonly string[], records: readonly CrmRecord[]): readonly string[] {
  const keys = new Set(records.flatMap((record) => Object.keys(record)))
  const held = columns.filter((name) => keys.has(name))
  if (held.length === columns.length) return columns
  const others = [...keys].filter((name) => !columns.includes(name))
  return others.length === 0 ? columns : [...held, ...others]
}

interface WantedColumn {
  readonly name: string
  /** Widest cell or header. */
  readonly width: number
  readonly isEmpty: boolean
}

/**
 * The columns to omit so that the others fit: empty ones first, then those set by the server, from the right. All of these
 * when that is not enough.
 */
export function columnsToOmit(columns: readonly WantedColumn[], available: number): ReadonlySet<string> {
  const omitted = new Set<string>()
  const empty = columns.filter(({ isEmpty, name }) => isEmpty && name !== 'id').map(({ name }) => name)
  const leastWanted = LEAST_WANTED.filter((name) => columns.some((column) => column.name === name))
  const candidates = [...empty, ...leastWanted.toReversed()]
  const wanted = () => {
    const widths = columns
      .filter(({ name }) => !omitted.has(name))
      .map(({ width }) => Math.min(width, MOST_WANTED) + GAP)
    return widths.reduce((total, width) => total + width, -GAP)
  }
  for (const name of candidates) {
    if (wanted() <= available) break
    omitted.add(name)
  }
  return omitted
}

/** The widths that a column needs. */
export interface ColumnNeed {
  /** Widest cell or header, in terminal columns. */
  readonly width: number
  /** The least useful width; at most `width`. */
  readonly floor: number
}

/**
 * Widths that fit `available` with `gap` between columns: the widest columns shrink first, none below its floor. When the
 * floors do not fit, columns are omitted from the right, and the result is shorter. The first column is always kept.
 */
export function fitColumns(needs: readonly ColumnNeed[], available: number, gap: number): readonly number[] {
  const shown = [...needs]
  const room = (): number => available - gap * (shown.length - 1)
  while (shown.length > 1 && sum(shown.map(({ floor }) => floor)) > room()) shown.pop()
  const [first] = shown
  if (!first || shown.length === 1) return shown.map(({ width }) => Math.max(1, Math.min(width, available)))
  // The cap, which a column exceeds only by its floor; it is at most the width of a terminal, so counting down is fast enough.
  let cap = Math.min(available, Math.max(...shown.map(({ width }) => width)))
  const capped = (): number[] => shown.map(({ width, floor }) => Math.max(floor, Math.min(width, cap)))
  while (sum(capped()) > room()) cap -= 1
  return spread(capped(), shown, room())
}

/** Distributes the remaining width to the columns that were cut, from the left. */
function spread(widths: readonly number[], needs: readonly ColumnNeed[], room: number): readonly number[] {
  let spare = room - sum(widths)
  return widths.map((width, index) => {
    if (spare <= 0 || width >= (needs[index]?.width ?? 0)) return width
    spare -= 1
    return width + 1
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
