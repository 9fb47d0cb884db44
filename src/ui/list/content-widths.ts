import { textWidth } from '../../output/terminal-text.ts'
import { cellTextOf, type ListColumn, type TimeStyle } from './columns.ts'
import type { ListState } from './list-state.ts'

/** The first rows stand for all, so that columns stay where they are while a list is scrolled. */
const SAMPLED = 200

const measured = new WeakMap<object, Map<string, number>>()

/** The columns limited to the width of their contents; measured once for each set of rows. */
export function sizedByContent(
  { rows, sort }: Pick<ListState, 'rows' | 'sort'>,
  columns: readonly ListColumn[],
  times: TimeStyle,
): readonly ListColumn[] {
  if (rows.length === 0) return columns
  const known = measured.get(rows) ?? new Map<string, number>()
  measured.set(rows, known)
  return columns.map((column) => {
    const key = `${column.name} ${column.kind === 'time' ? times.isWhole : ''}`
    const widest = known.get(key) ?? widestOf(rows, column, times)
    known.set(key, widest)
    // The head is in brackets when it is selected, and has an arrow when the rows are sorted by it.
    const wanted = Math.max(widest, textWidth(column.head) + (sort?.by === column.name ? 4 : 2))
    return {
      ...column,
      least: Math.min(column.least, wanted),
      most: Math.min(Math.max(column.most, MOST_TEXT), wanted),
    }
  })
}

const MOST_TEXT = 60

function widestOf(rows: ListState['rows'], column: ListColumn, times: TimeStyle): number {
  let widest = 0
  for (const row of rows.slice(0, SAMPLED)) {
    widest = Math.max(widest, textWidth(cellTextOf(column, row[column.name], { width: MOST_TEXT, times })))
  }
  return widest
}
