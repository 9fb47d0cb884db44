import type { CrmRecord } from '../../core/resources/registry.ts'
import { currentRow, type ListState, reordered, rowId, shownCount, shownRow, withId, withoutId } from './list-state.ts'
import { orderRows, type Sort } from './order.ts'

/**
 * Moves the cursor; the window follows. At an edge it jumps by half a screen: scrolling by a line would rewrite the whole
 * screen each time, which is slow on a slow connection.
 */
export function moveTo(list: ListState, position: number, height: number): ListState {
  const cursor = Math.max(0, Math.min(position, shownCount(list) - 1))
  return { ...list, cursor, top: topFor(list, cursor, height) }
}

export function moveBy(list: ListState, lines: number, height: number): ListState {
  return moveTo(list, list.cursor + lines, height)
}

function topFor(list: ListState, cursor: number, height: number): number {
  const most = Math.max(0, shownCount(list) - height)
  const half = Math.floor(height / 2)
  if (cursor < list.top) return Math.max(0, Math.min(cursor, list.top - half))
  if (cursor >= list.top + height) return Math.min(most, Math.max(cursor - height + 1, list.top + half))
  return Math.max(0, Math.min(list.top, most))
}

export function toggleMark(list: ListState): ListState {
  const id = rowId(currentRow(list))
  if (id === undefined) return list
  return { ...list, marks: list.marks.has(id) ? withoutId(list.marks, id) : withId(list.marks, id) }
}

/** The first call begins a range, the second marks it. */
export function markRange(list: ListState): ListState {
  if (list.anchor === undefined) return { ...list, anchor: list.cursor }
  const [from, to] = [Math.min(list.anchor, list.cursor), Math.max(list.anchor, list.cursor)]
  return { ...list, anchor: undefined, marks: new Set([...list.marks, ...idsBetween(list, from, to + 1)]) }
}

/** Marks all loaded rows that the filter shows. */
export function markShown(list: ListState): ListState {
  return { ...list, marks: new Set([...list.marks, ...idsBetween(list, 0, shownCount(list))]) }
}

export function clearMarks(list: ListState): ListState {
  return { ...list, marks: new Set(), anchor: undefined }
}

/** The rows of an action: the marked rows if any, else the row under the cursor. */
export function chosenRows(list: ListState): readonly CrmRecord[] {
  if (list.marks.size > 0) return list.rows.filter((row) => list.marks.has(rowId(row) ?? ''))
  const row = currentRow(list)
  return row ? [row] : []
}

function idsBetween(list: ListState, from: number, to: number): readonly string[] {
  const ids: string[] = []
  for (let position = from; position < to; position++) {
    const id = rowId(shownRow(list, position))
    if (id !== undefined) ids.push(id)
  }
  return ids
}

export function setFilter(list: ListState, filter: string): ListState {
  return { ...list, filter, order: orderRows({ ...list, filter }), cursor: 0, top: 0, anchor: undefined }
}

/** Ascending, descending, and the order of the server. */
export function cycleSort(list: ListState): ListState {
  return reordered({ ...list, sort: nextSort(list) }, rowId(currentRow(list)))
}

function nextSort({ sort, column }: ListState): Sort | undefined {
  if (sort?.by !== column) return { by: column, isDescending: false }
  return sort.isDescending ? undefined : { by: column, isDescending: true }
}

export function selectColumn(list: ListState, names: readonly string[], step: number): ListState {
  const index = Math.max(0, names.indexOf(list.column))
  return { ...list, column: names[Math.max(0, Math.min(index + step, names.length - 1))] ?? list.column }
}
