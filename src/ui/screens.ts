import { TAB_SCREENS } from '../core/browse-screens.ts'
import { hasOperation, isReadOnly, LISTED_RESOURCES, RESOURCES, resourceOf } from '../core/resources/registry.ts'
import type { RecordList } from '../settings/kept-changes.ts'

/** The screens with a tab and a number, in its order, and two that show what this session did. */
export const FIXED_SCREENS = [...TAB_SCREENS, 'log', 'commands'] as const

export type FixedScreen = (typeof FIXED_SCREENS)[number]
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

export const SERVER_SCREENS: readonly ScreenOrObjects[] = ['contacts', 'deals', 'objects', 'pipelines']
/** Those with rows that change while they are shown. */
export const LIVE_SCREENS: readonly ScreenOrObjects[] = [...SERVER_SCREENS, 'events', 'jobs', 'webhooks']
export const TABLE_SCREENS: readonly ScreenOrObjects[] = LIVE_SCREENS.filter((each) => each !== 'pipelines')
/** Screens without a number, which show what this session did; they are not remembered. */
export const SESSION_SCREENS: readonly ScreenName[] = ['log', 'commands']

export function isOnScreen(screens: readonly ScreenOrObjects[] | undefined, screen: ScreenName): boolean {
  if (!screens || screens.includes(screen)) return true
  return screens.includes('objects') && !FIXED_SCREENS.some((each) => each === screen)
}

export function isServerList(name: ListName): name is ServerList {
  return serverLists().some((each) => each === name)
}

/** The list of a screen; Home shows no rows, and takes most figures from the deals. */
export function listOfScreen(screen: ScreenName): ListName {
  return screen === 'pipelines' || screen === 'home' ? 'deals' : screen
}

/** What a key may need of the server. `stage` is the field of deals. */
export type Need =
  | `${'list' | 'create' | 'update' | 'delete'} ${ServerList}`
  | `create notes on ${ServerList}`
  | 'stage'

export interface OfferedFields {
  /** For messages: `pipedrive (connector)`. */
  readonly by: string
  /** Crm's names, with those that the server sets. */
  readonly names: readonly string[]
  /** Members that no field maps are writable under the server's own names. */
  isWritable(name: string, on: 'create' | 'update'): boolean
  /** The filters of the server. `any`: each of its names. */
  readonly filters: 'any' | readonly string[]
}

export interface Offered {
  readonly lacks: Readonly<Partial<Record<Need, string>>>
  /** Undefined: the fields of the contract. */
  readonly fields: Readonly<Partial<Record<ServerList, OfferedFields>>>
}

/** Of any server that speaks the contract. */
export const CONTRACT_OFFERED: Offered = lackingDeletions(
  serverLists().filter((name) => !hasOperation(resourceOf(name), 'delete')),
)

function lackingDeletions(lists: readonly ServerList[]): Offered {
  const lacks = lists.map((list) => [`delete ${list}`, `this server has no request that deletes ${list}`])
  return { lacks: Object.fromEntries(lacks), fields: {} }
}

export type Offering = { readonly offered: Offered }

export function screenLack({ offered: { lacks } }: Offering, screen: ScreenName): string | undefined {
  if (screen === 'home') return undefined
  const name = listOfScreen(screen)
  if (!isServerList(name)) return undefined
  return lacks[`list ${name}`] ?? (screen === 'pipelines' ? lacks.stage : undefined)
}

/** Whether a member can be sent; without a connector the server decides about those that it does not set itself. */
export function isWritable(fields: OfferedFields | undefined, name: string, on: 'create' | 'update'): boolean {
  return fields ? fields.isWritable(name, on) : !isReadOnly(name)
}
