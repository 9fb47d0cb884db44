import { currentRow, type ListState, reordered, rowId } from './list-state.ts'
import { orderRows, type Sort } from './order.ts'

/** A filter that extends the previous one searches only the rows that the previous one found. */
export function setFilter(list: ListState, filter: string): ListState {
  const isNarrower = list.filter !== '' && filter.startsWith(list.filter) && list.order !== undefined
  const order = orderRows({ ...list, filter }, isNarrower ? list.order : undefined)
  return { ...list, filter, order, cursor: 0, top: 0, anchor: undefined }
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
