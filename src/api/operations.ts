import type { JsonObject } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

/** One answer of a list, in the order the server gave. */
export interface Page {
  readonly items: readonly CrmRecord[]
  /** Where the next page starts, for `ListQuery.cursor` and nothing else; undefined on the last one, and where no cursor leads on. */
  readonly nextCursor: string | undefined
  /** There are more records than `limit` let through, and no cursor leads to the first of them. */
  readonly isCut?: true
  /**
   * Whether more records follow: without a cursor, and with one that a server names although its count is reached. Absent
   * where the cursor leads to them, the list ends here, or the next request finds out.
   */
  readonly rest?: Rest
}

/** `unknown`: nothing says that this is the end. */
export type Rest = 'some' | 'unknown' | 'none'

export interface ListQuery {
  /** Stop after this many records; undefined lists all. */
  readonly limit: number | undefined
  /** Start where an earlier list stopped. */
  readonly cursor: string | undefined
  /** Query parameters, sent unchanged; the server decides what they mean. */
  readonly filters: Readonly<Record<string, string>>
  /** Ends this list, and its waits. */
  readonly signal?: AbortSignal | undefined
}

/** The limit of a server by its last answer, at this moment. */
export interface StatedRate {
  /** Requests in one window; undefined when the server does not state it. */
  readonly limit: number | undefined
  /** The length of a window; undefined when the server does not state it. */
  readonly windowMs: number | undefined
  readonly remaining: number
  readonly resetInMs: number
}

export interface WriteOptions {
  /** Ends this call, and its waits. */
  readonly signal?: AbortSignal | undefined
  /** Undefined: one is made for this call and kept through its retries. */
  readonly idempotencyKey: string | undefined
  /** An answer whose record has no id is `bad_answer`, with the key: who wants nothing but the id has nothing without it. */
  readonly isIdNeeded?: boolean | undefined
  /** A request that was sent is not aborted when the client ends. */
  readonly isLetFinish?: boolean | undefined
}

export interface ConditionalOptions extends WriteOptions {
  /** An entity tag, bare or quoted: the write happens only while the record still has it. */
  readonly ifMatch: string | undefined
}

export type DeleteOptions = Pick<ConditionalOptions, 'ifMatch' | 'signal' | 'isLetFinish'>

export interface Operations {
  list(query?: Partial<ListQuery>): AsyncIterable<Page>
  create(fields: JsonObject, options: WriteOptions): Promise<CrmRecord>
  update(id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** A 404 or 410 on a retry of its own is success: an earlier try did it. */
  delete(id: string, options: DeleteOptions): Promise<void>
}

export interface DescribedMembers {
  readonly names: ReadonlySet<string>
  /** Those of them that are numbers. */
  readonly numbers: ReadonlySet<string>
}
