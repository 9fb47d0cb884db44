import { textWidth } from '../../output/terminal-text.ts'
import { cellTextOf, type ListColumn, type TimeStyle } from './columns.ts'
import type { ListState } from './list-state.ts'

/** The first rows stand for all, so that columns stay where they are while a list is scrolled. */
const SAMPLED = 200

const measured = new WeakMap<object, Map<string, number>>()

/** The columns limited to the width of their contents; measured once for each set of rows. */
export function sizedByContent(
  { rows, sort, column: selected }: Pick<ListState, 'rows' | 'sort' | 'column'>,
  columns: readonly ListColumn[],
  times: TimeStyle,
): readonly ListColumn[] {
  if (rows.length === 0) return columns
  return columns.map((column) => {
    const widest = widestOf(rows, column, times)
    // The head is in brackets when it is selected, and has an arrow when the rows are sorted by it.
    const wanted = Math.max(widest, textWidth(column.head) + (sort?.by === column.name ? 4 : 2))
    return {
      ...column,
      least: Math.min(column.least, wanted),
      most: Math.min(Math.max(column.most, MOST_TEXT), wanted),
      ...(widest === 0 && !column.isVital && column.name !== selected && sort?.by !== column.name && EMPTY),
    }
  })
}

const MOST_TEXT = 60

const EMPTY = { least: 3, isEmpty: true } as const

function widestOf(from: ListState['rows'], column: ListColumn, times: TimeStyle): number {
  const known = measured.get(from) ?? new Map<string, number>()
  measured.set(from, known)
  const key = `${column.name} ${column.kind === 'time' ? times.isWhole : ''}`
  const before = known.get(key)
  if (before !== undefined) return before
  let widest = 0
  for (const row of from.slice(0, SAMPLED)) {
    widest = Math.max(widest, textWidth(cellTextOf(column, row[column.name], { width: MOST_TEXT, times })))
  }
  known.set(key, widest)
  return widest
}
