import { durationText } from './duration.ts'
import { CrmError } from './errors.ts'

/** How a list goes on. `none`: one answer is the whole of it. */
export const PAGING_KINDS = ['cursor', 'page', 'offset', 'next_url', 'link', 'none'] as const

export type PagingKind = (typeof PAGING_KINDS)[number]

/** What differs between servers; every value has a default and is a setting of the profile (`wire.*`). */
export interface Wire {
  /** Records asked for in one request of a list. */
  readonly pageSize: number
  readonly idempotencyHeader: string
  /** Whether the server keeps idempotency keys, as set by a person; undefined until the server shows it. */
  readonly idempotency?: 'none' | 'kept' | undefined
  /** How long the server keeps the key of a write, and so for how long sending it again cannot do it twice. */
  readonly idempotencyWindowMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isWindowOfAccount: boolean
  /** The longest that a request can be under way, and still take effect at its end. */
  readonly requestLifeMs: number
  /** The parameter for the size of a page; undefined sends none. */
  readonly limitParam: string | undefined
  /** How a list goes on; undefined leaves it to what is recognised. */
  readonly paging?: PagingKind | undefined
  /** The parameter in which every cursor goes back; undefined leaves it to what is recognised, as below. */
  readonly cursorParam: string | undefined
  /** Where the records of a page are, such as `data.contacts`. */
  readonly itemsPath: string | undefined
  /** Where a page says how it goes on: a cursor or an address. */
  readonly nextPath: string | undefined
  /** Where GraphQL is, behind the server's address; `none` where there is none, undefined leaves it to a search. */
  readonly graphqlPath?: string | undefined
}

type Times = Pick<Wire, 'idempotencyWindowMs' | 'requestLifeMs'>

/** CrmError `invalid_input` when the server forgets a key before the last request with it can arrive: nothing could be sent. */
export function checkTimes({ idempotencyWindowMs: windowMs, requestLifeMs: lifeMs }: Times): void {
  if (windowMs > lifeMs) return
  const [window, life] = [durationText(windowMs), durationText(lifeMs)]
  throw new CrmError(
    'invalid_input',
    `wire.idempotency_window is ${window}, expected more than wire.request_life, which is ${life}`,
    { hint: 'crm config set wire.idempotency_window 30m -p PROFILE, or make wire.request_life shorter' },
  )
}
