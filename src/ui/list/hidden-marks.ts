import { type ListState, rowId, shownCount, shownRow } from './list-state.ts'

const counted = new WeakMap<object, { readonly marks: unknown; readonly count: number }>()

/** The number of marked rows that the filter hides, or that are no longer loaded; counted once for each order and its marks. */
export function hiddenMarkCount(list: ListState): number {
  const { marks, order, rows } = list
  if (marks.size === 0) return 0
  const key = order ?? rows
  const known = counted.get(key)
  if (known?.marks === marks) return known.count
  const count = marks.size - shownMarks(list).size
  counted.set(key, { marks, count })
  return count
}

export function shownMarks(list: ListState): ReadonlySet<string> {
  const shown = new Set<string>()
  const count = shownCount(list)
  for (let position = 0; position < count; position++) {
    const id = rowId(shownRow(list, position))
    if (id !== undefined && list.marks.has(id)) shown.add(id)
  }
  return shown
}
