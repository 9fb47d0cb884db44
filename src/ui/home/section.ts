import { serverFilterText } from '../list/server-filters.ts'
import type { Tone } from '../look/theme.ts'
import type { ServerList } from '../screens.ts'
import type { State } from '../state.ts'

/** A line of figures. */
export interface HomeRow {
  readonly label: string
  /** In columns. */
  readonly values: readonly string[]
  /** The length of its bar, from 0 to 1. */
  readonly share?: number
  /** Values over time, the oldest first. */
  readonly spark?: readonly number[]
  readonly tone?: Tone | undefined
}

/** A part of the home screen, as figures that are drawn or said. */
export interface HomeSection {
  readonly title: string
  /** Of how many records it is computed. */
  readonly basis: string
  readonly rows: readonly HomeRow[]
  /** What the figures mean, and why they are missing. */
  readonly notes: readonly string[]
}

/** `of 240 deals`, `of the 500 deals loaded; more may exist`. */
export function basisText({ lists, offered }: State, name: ServerList): string {
  const { rows, droppedCount, isComplete, serverFilters, failure } = lists[name]
  const lack = offered.lacks[`list ${name}`]
  if (lack !== undefined) return lack
  const filter = serverFilterText(serverFilters)
  const chosen = filter === '' ? '' : ` with ${filter}`
  if (droppedCount > 0) return `of the last ${rows.length} ${name} loaded${chosen}; the first are no longer held`
  if (isComplete) return `of all ${rows.length} ${name}${chosen}`
  if (failure) return `of the ${rows.length} ${name} loaded${chosen}; the rest could not be loaded`
  return rows.length === 0
    ? `no ${name} are loaded yet`
    : `of the ${rows.length} ${name} loaded${chosen}; more may exist`
}
