import { FIELDS, fieldOf, isReadOnly, LISTED_RESOURCES, RESOURCES, resourceOf } from '../core/resources/registry.ts'
import type { RecordList } from '../settings/kept-changes.ts'
import type { ListColumn } from './list/columns.ts'

/** The screens with a tab and a number, in its order, and two that show what this session did. */
export const FIXED_SCREENS = [
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

type FixedScreen = (typeof FIXED_SCREENS)[number]

/** A list of records of the server. */
export type ServerList = RecordList

export type ScreenName = FixedScreen | ServerList

/** Where a key works: `objects` is the screen of every object but contacts and deals. */
export type ScreenOrObjects = ScreenName | 'objects'

/** The screens that show a list; the board shows the deals. */
export type ListName = Exclude<ScreenName, 'home' | 'pipelines'>

/** The objects of the server that have no tab, such as companies, as far as they are known. */
function objectScreens(): readonly ServerList[] {
  return LISTED_RESOURCES.map((resource) => RESOURCES[resource].plural).filter(
    (plural): plural is ServerList => !FIXED_SCREENS.some((each) => each === plural),
  )
}

/** What Home has figures of. */
export const HOME_LISTS = ['contacts', 'deals'] as const satisfies readonly ServerList[]

export function serverLists(): readonly ServerList[] {
  return ['contacts', 'deals', ...objectScreens()]
}

export function allScreens(): readonly ScreenName[] {
  return [...FIXED_SCREENS, ...objectScreens()]
}

export function allLists(): readonly ListName[] {
  return allScreens().filter((each): each is ListName => each !== 'home' && each !== 'pipelines')
}

/** The screens with records of the server. */
export const SERVER_SCREENS: readonly ScreenOrObjects[] = ['contacts', 'deals', 'objects', 'pipelines']

/** Screens without a number, which show what this session did; they are not remembered. */
export const SESSION_SCREENS: readonly ScreenName[] = ['log', 'commands']

/** Whether a key of these screens works on this one; undefined: all. */
export function isOnScreen(screens: readonly ScreenOrObjects[] | undefined, screen: ScreenName): boolean {
  if (!screens || screens.includes(screen)) return true
  return screens.includes('objects') && !FIXED_SCREENS.some((each) => each === screen)
}

const TITLES: Readonly<Record<FixedScreen, string>> = {
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

export function titleOf(screen: ScreenName): string {
  const titles: Partial<Record<ScreenName, string>> = TITLES
  const plural = screen.replaceAll('_', ' ')
  return titles[screen] ?? plural.charAt(0).toUpperCase() + plural.slice(1)
}

export function isServerList(name: ListName): name is ServerList {
  return serverLists().some((each) => each === name)
}

/** The list of a screen; Home shows no rows, and takes most figures from the deals. */
export function listOfScreen(screen: ScreenName): ListName {
  return screen === 'pipelines' || screen === 'home' ? 'deals' : screen
}

const COLUMNS: Readonly<Record<Exclude<FixedScreen, 'home' | 'pipelines'>, readonly ListColumn[]>> = {
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

/** Those of an object without a tab are of its fields: what names it, the others, id, owner and creation time. */
export function columnsOf(name: ListName): readonly ListColumn[] {
  const fixed: Partial<Record<ListName, readonly ListColumn[]>> = COLUMNS
  return fixed[name] ?? objectColumns(name as ServerList)
}

const LAST = ['id', 'owner_id', 'created_at']

const WIDTHS = { least: 10, most: 28 } as const

function objectColumns(name: ServerList): readonly ListColumn[] {
  const resource = resourceOf(name)
  const own = FIELDS[resource].filter((field) => !isReadOnly(field) && !LAST.includes(field))
  const last = LAST.filter((field) => fieldOf(resource, field) !== undefined)
  return [...own, ...last].map((field, at) => {
    const type = fieldOf(resource, field)?.type
    return {
      name: field,
      head: field
        .replace(/_(?:id|at|on)$/, '')
        .replaceAll('_', ' ')
        .toUpperCase(),
      ...(at === 0 ? { least: 22, most: 40 } : WIDTHS),
      ...((type === 'number' || type === 'integer') && { align: 'right' as const }),
      ...(type === 'time' && { kind: 'time' as const }),
    }
  })
}

const SEARCHED: Partial<Readonly<Record<ListName, readonly string[]>>> = {
  events: ['event', 'record_id', 'state', 'id'],
  jobs: ['id', 'state', 'what'],
  webhooks: ['url', 'events', 'status', 'description', 'id'],
  log: ['message', 'request_id'],
  commands: ['command'],
}

/** Members that `/` searches: all columns but times, unless named. */
export function searchedIn(list: ListName): readonly string[] {
  return SEARCHED[list] ?? columnsOf(list).flatMap(({ name, kind }) => (kind === 'time' ? [] : [name]))
}
