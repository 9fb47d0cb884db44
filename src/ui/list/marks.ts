import type { CrmRecord } from '../../core/resources/registry.ts'
import { currentRow, type ListState, rowId, shownCount, shownRow, withId, withoutId } from './list-state.ts'

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
