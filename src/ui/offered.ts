import { hasOperation, isReadOnly, resourceOf } from '../core/resources/registry.ts'
import { isServerList, listOfScreen, type ScreenName, type ServerList, serverLists } from './screens.ts'

/** What a key may need of the server. `stage` is the field of deals. */
export type Need =
  | `${'list' | 'create' | 'update' | 'delete'} ${ServerList}`
  | `create notes on ${ServerList}`
  | 'stage'

/** The fields of records, as a connector describes them. */
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

/** What the server offers, as far as it is known. */
export interface Offered {
  /** Why the server lacks what a key needs. */
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

/** Why a screen cannot be shown. */
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
