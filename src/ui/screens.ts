import type { ListedResource, PluralOf } from '../core/resources/registry.ts'
import type { ListColumn } from './list/columns.ts'

export const SCREENS = [
  'home',
  'contacts',
  'deals',
  'pipelines',
  'events',
  'jobs',
  'webhooks',
  'log',
  'commands',
] as const

export type ScreenName = (typeof SCREENS)[number]

/** Lists of records of the server. */
export const SERVER_LISTS = ['contacts', 'deals'] as const satisfies readonly PluralOf<ListedResource>[]

export type ServerList = (typeof SERVER_LISTS)[number]

/** The screens with records of the server. */
export const SERVER_SCREENS: readonly ScreenName[] = [...SERVER_LISTS, 'pipelines']

/** The screens that show a list; the board shows the deals. */
export const LISTS = [...SERVER_LISTS, 'events', 'jobs', 'webhooks', 'log', 'commands'] as const

export type ListName = (typeof LISTS)[number]

/** Screens without a number, which show what this session did; they are not remembered. */
export const SESSION_SCREENS: readonly ScreenName[] = ['log', 'commands']

export const TITLES: Readonly<Record<ScreenName, string>> = {
  home: 'Home',
  contacts: 'Contacts',
  deals: 'Deals',
  pipelines: 'Pipelines',
  events: 'Events',
  jobs: 'Jobs',
  webhooks: 'Webhooks',
  log: 'Log',
  commands: 'Commands',
}

export function isServerList(name: ListName): name is ServerList {
  return SERVER_LISTS.some((each) => each === name)
}

/** The list of a screen; Home shows no rows, and takes most figures from the deals. */
export function listOfScreen(screen: ScreenName): ListName {
  return screen === 'pipelines' || screen === 'home' ? 'deals' : screen
}

export const COLUMNS: Readonly<Record<ListName, readonly ListColumn[]>> = {
  // Fields, id, owner and creation time: the last columns are omitted first.
  contacts: [
    { name: 'name', head: 'NAME', least: 22, most: 36 },
    { name: 'email', head: 'EMAIL', least: 22, most: 36 },
    { name: 'phone', head: 'PHONE', least: 15, most: 18 },
    { name: 'company', head: 'COMPANY', least: 18, most: 28 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  deals: [
    { name: 'name', head: 'NAME', least: 26, most: 40 },
    { name: 'amount', head: 'AMOUNT', least: 10, most: 14, align: 'right' },
    { name: 'stage', head: 'STAGE', least: 12, most: 18 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'pipeline_id', head: 'PIPELINE', least: 10, most: 16 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  events: [
    { name: 'received_at', head: 'RECEIVED', least: 8, most: 24, kind: 'time' },
    { name: 'event', head: 'EVENT', least: 16, most: 22 },
    { name: 'record_id', head: 'RECORD', least: 16, most: 20 },
    { name: 'state', head: 'STATE', least: 10, most: 28, isVital: true },
    { name: 'id', head: 'ID', least: 16, most: 30 },
  ],
  jobs: [
    { name: 'id', head: 'JOB', least: 15, most: 18 },
    { name: 'state', head: 'STATE', least: 10, most: 12, isVital: true },
    { name: 'done', head: 'DONE', least: 7, most: 9, align: 'right' },
    { name: 'unchanged', head: 'UNCHANGED', least: 9, most: 9, align: 'right' },
    { name: 'rows', head: 'ROWS', least: 7, most: 9, align: 'right' },
    { name: 'failed', head: 'FAILED', least: 7, most: 9, align: 'right' },
    { name: 'still_failed', head: 'STILL FAILED', least: 12, most: 12, align: 'right' },
    { name: 'in_doubt', head: 'IN DOUBT', least: 8, most: 9, align: 'right' },
    { name: 'made_at', head: 'MADE', least: 8, most: 24, kind: 'time' },
    { name: 'what', head: 'WHAT', least: 16, most: 60 },
  ],
  webhooks: [
    { name: 'url', head: 'URL', least: 20, most: 60 },
    { name: 'status', head: 'STATE', least: 8, most: 10, isVital: true },
    { name: 'last', head: 'LAST', least: 6, most: 20, isNeverCut: true },
    { name: 'last_at', head: 'AT', least: 8, most: 24, kind: 'time' },
    { name: 'attempts', head: 'ATTEMPTS', least: 8, most: 9, align: 'right' },
    { name: 'failing', head: 'FAILING', least: 7, most: 9, align: 'right' },
    { name: 'events', head: 'EVENTS', least: 6, most: 40 },
    { name: 'id', head: 'ID', least: 15, most: 18 },
  ],
  log: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'message', head: 'MESSAGE', least: 30, most: 120 },
    { name: 'request_id', head: 'REQUEST', least: 12, most: 36 },
  ],
  commands: [
    { name: 'time', head: 'TIME', least: 8, most: 8 },
    { name: 'command', head: 'COMMAND', least: 30, most: 400 },
  ],
}

/** Members that `/` searches. */
export const SEARCHED: Readonly<Record<ListName, readonly string[]>> = {
  contacts: searchedColumns('contacts'),
  deals: searchedColumns('deals'),
  events: ['event', 'record_id', 'state', 'id'],
  jobs: ['id', 'state', 'what'],
  webhooks: ['url', 'events', 'status', 'description', 'id'],
  log: ['message', 'request_id'],
  commands: ['command'],
}

/** All columns but times. */
function searchedColumns(list: ListName): readonly string[] {
  return COLUMNS[list].flatMap(({ name, kind }) => (kind === 'time' ? [] : [name]))
}
