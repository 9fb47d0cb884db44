import type { Offering } from '../offered.ts'
import { columnsOf } from '../screens/all-screens.tsx'
import type { ListName } from '../screens.ts'
import { isServerList } from '../screens.ts'
import type { State } from '../state.ts'
import type { ListColumn } from './columns.ts'

/** The columns of a list, without those that no record has. */
export function offeredColumns({ offered }: Offering, name: ListName): readonly ListColumn[] {
  const fields = isServerList(name) ? offered.fields[name] : undefined
  return fields ? columnsOf(name).filter((column) => fields.names.includes(column.name)) : columnsOf(name)
}

/** The columns of a list in their order, as the person chose them. */
export function shownColumns(state: Pick<State, 'offered' | 'chosenColumns'>, name: ListName): readonly ListColumn[] {
  const offered = offeredColumns(state, name)
  const chosen = state.chosenColumns[name]
  if (!chosen) return offered
  const shown = chosen.map((member) => offered.find((column) => column.name === member) ?? memberColumn(member))
  // A vital column is shown even if an earlier version hid it.
  return [...offered.filter((column) => column.isVital && !chosen.includes(column.name)), ...shown]
}

/** A member that the contract does not name. */
function memberColumn(name: string): ListColumn {
  return { name, head: name.toUpperCase(), least: 6, most: 40, ...(name.endsWith('_at') && { kind: 'time' }) }
}

/** Columns that can be chosen: the offered ones, and the members of the first rows. */
export function choosableColumns(state: State, name: ListName): readonly string[] {
  const members = state.lists[name].rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row))
  return [
    ...new Set([...shownColumns(state, name), ...offeredColumns(state, name)].map((each) => each.name)),
    ...new Set(members),
  ].filter((member, at, all) => all.indexOf(member) === at)
}

const LOOKED_AT = 50

/** With the first column of each list selected where none is. */
export function withFirstColumns(state: State): State {
  const lists = Object.entries(state.lists).map(([name, list]) => [
    name,
    list.column === '' ? { ...list, column: columnsOf(name as ListName)[0]?.name ?? 'id' } : list,
  ])
  return { ...state, lists: Object.fromEntries(lists) }
}
