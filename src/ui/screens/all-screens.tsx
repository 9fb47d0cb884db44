import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ListColumn } from '../list/columns.ts'
import { putRow, takePage } from '../list/list-state.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import {
  type FixedScreen,
  isServerList,
  type ListName,
  type Offering,
  type ScreenName,
  type ServerList,
} from '../screens.ts'
import type { State } from '../state.ts'
import { withList } from '../state.ts'
import { eventsScreen } from './events.tsx'
import { homeScreen } from './home.tsx'
import { jobsScreen } from './jobs.tsx'
import { pipelinesScreen } from './pipelines.tsx'
import { contactsScreen, dealsScreen, objectScreen } from './records.tsx'
import { webhooksScreen } from './webhooks.tsx'

const logScreen: ScreenEntry = {
  title: 'Log',
  columns: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'message', head: 'MESSAGE', least: 30, most: 120 },
    { name: 'request_id', head: 'REQUEST', least: 12, most: 36 },
  ],
  searched: ['message', 'request_id'],
  empty: () => ['No messages.'],
}

const commandsScreen: ScreenEntry = {
  title: 'Commands',
  columns: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'command', head: 'COMMAND', least: 30, most: 400 },
  ],
  searched: ['command'],
  empty: () => ['Nothing was changed yet. Each change adds the command that does the same.'],
}

/** A new screen is a file and a line here, and its name in the order of the tabs. */
const ENTRIES: Readonly<Record<FixedScreen, ScreenEntry>> = {
  home: homeScreen,
  contacts: contactsScreen,
  deals: dealsScreen,
  pipelines: pipelinesScreen,
  events: eventsScreen,
  jobs: jobsScreen,
  webhooks: webhooksScreen,
  log: logScreen,
  commands: commandsScreen,
}

export function entryOf(screen: ScreenName): ScreenEntry {
  const fixed: Partial<Record<ScreenName, ScreenEntry>> = ENTRIES
  return fixed[screen] ?? objectScreen(screen as ServerList)
}

export function titleOf(screen: ScreenName): string {
  return entryOf(screen).title
}

export function columnsOf(list: ListName): readonly ListColumn[] {
  return entryOf(list).columns
}

export function searchedIn(list: ListName): readonly string[] {
  const { searched, columns } = entryOf(list)
  return searched ?? columns.flatMap(({ name, kind }) => (kind === 'time' ? [] : [name]))
}

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

/** A list of this machine as it was just read. `isOpen`: there may be more rows. */
export function withRows(state: State, name: ListName, items: readonly CrmRecord[], isOpen = false): State {
  const page = { items, nextCursor: undefined, isOpen, searched: searchedIn(name) }
  return withList(state, name, (list) => takePage({ ...list, isStale: true }, page))
}

/** Each in place of the row with its id, or on top. */
export function withRecords(state: State, name: ListName, rows: readonly CrmRecord[]): State {
  return withList(state, name, (list) => rows.reduce((before, row) => putRow(before, row, searchedIn(name)), list))
}
