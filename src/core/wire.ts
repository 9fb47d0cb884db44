import { durationText } from './duration.ts'
import { CrmError } from './errors.ts'
import { shellWord } from './shell-words.ts'

/** How the next page of a list is requested. `none`: the first answer is the whole list. */
export const PAGING_KINDS = ['cursor', 'page', 'offset', 'next_url', 'link', 'none'] as const

export type PagingKind = (typeof PAGING_KINDS)[number]

/** A connector may say otherwise; a setting that differs from these holds in its place. */
export const WIRE_DEFAULTS = {
  pageSize: 100,
  limitParam: 'limit',
  idempotencyHeader: 'Idempotency-Key',
  idempotencyWindowMs: 1_800_000,
} as const

/** Differences between servers; every value has a default and is a setting of the profile (`wire.*`). */
export interface Wire {
  /** The page size that is requested. */
  readonly pageSize: number
  readonly idempotencyHeader: string
  /** Whether the server keeps idempotency keys, as configured; undefined until the server shows it. */
  readonly idempotency?: 'none' | 'kept' | undefined
  /** How long the server keeps an idempotency key, and so how long a repeated write cannot take effect twice. */
  readonly idempotencyWindowMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isWindowOfAccount: boolean
  /** The longest time after which a sent request can still take effect. */
  readonly requestLifeMs: number
  /** The parameter for the page size; undefined sends none. */
  readonly limitParam: string | undefined
  /** How the next page is requested; undefined: detected from the answers. */
  readonly paging?: PagingKind | undefined
  /** The parameter that carries the cursor; undefined: detected, as are those below. */
  readonly cursorParam: string | undefined
  /** The path of the records in a page, such as `data.contacts`. */
  readonly itemsPath: string | undefined
  /** The path of the next cursor or address in a page. */
  readonly nextPath: string | undefined
  /** The GraphQL path, relative to the server's address; `none` for a server without GraphQL, undefined: searched for. */
  readonly graphqlPath?: string | undefined
  /** The member in which records of fixtures state their run, where the server keeps no states of runs; undefined: none. */
  readonly runMarker?: string | undefined
  /** For hints: the profile of these settings; undefined without one. */
  readonly profile?: string | undefined
}

/** For hints: the command that changes a setting of the profile in use. `setting` is its name and the value, quoted for a shell. */
export function settingCommand(setting: string, { profile }: { readonly profile?: string | undefined }): string {
  return `crm config set ${setting} -p ${profile === undefined ? 'NAME' : shellWord(profile)}`
}

type Times = Pick<Wire, 'idempotencyWindowMs' | 'requestLifeMs' | 'profile'>

/** CrmError `invalid_input` when the server drops an idempotency key before the last request with it can arrive. */
export function checkTimes(wire: Times): void {
  const { idempotencyWindowMs: windowMs, requestLifeMs: lifeMs } = wire
  if (windowMs > lifeMs) return
  const [window, life] = [durationText(windowMs), durationText(lifeMs)]
  throw new CrmError(
    'invalid_input',
    `wire.idempotency_window is ${window}, expected more than wire.request_life, which is ${life}`,
    { hint: `${settingCommand('wire.idempotency_window 30m', wire)}, or make wire.request_life shorter` },
  )
}
