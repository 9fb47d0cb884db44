import { type ListColumn, shortCell } from './columns.ts'
import { type ListState, shownCount, shownRow } from './list-state.ts'
import type { Matcher } from './matcher.ts'

/** The first rows stand for all, so that columns stay where they are while a list is scrolled. */
const SAMPLED = 50

const LONGEST = 200

/** Marks the columns in which a filter found something: they are shown before all others. */
export function withFoundColumns(
  list: ListState,
  columns: readonly ListColumn[],
  { matcher, searched }: { readonly matcher: Matcher; readonly searched: ReadonlySet<string> },
): readonly ListColumn[] {
  const rows = Array.from({ length: Math.min(SAMPLED, shownCount(list)) }, (_, at) => shownRow(list, at))
  const isFound = ({ name }: ListColumn) =>
    searched.has(name) && rows.some((row) => matcher.partsOf(shortCell(row?.[name], LONGEST)).length > 0)
  return columns.map((column) => (isFound(column) ? { ...column, isFound: true } : column))
}
