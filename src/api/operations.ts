import type { JsonObject, JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

/** What the server answered to a request for a page. */
export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly json: JsonValue | undefined
}

/** One page of a list, in the order of the server. */
export interface Page {
  readonly items: readonly CrmRecord[]
  /** The start of the next page, for `ListQuery.cursor`; undefined on the last page, and if no cursor leads to the next one. */
  readonly nextCursor: string | undefined
  /** `limit` cut this page: there are more records, without a cursor for the first of them. */
  readonly isCut?: true
  /**
   * Whether more records follow: without a cursor, or with one that the server states although its count is reached. Absent
   * if the cursor leads to them, the list ends here, or the next request will show it.
   */
  readonly rest?: Rest
}

/** `unknown`: nothing shows that the list ends here. */
export type Rest = 'some' | 'unknown' | 'none'

export interface ListQuery {
  /** Stop after this many records; undefined lists all. */
  readonly limit: number | undefined
  /** Start where an earlier list stopped. */
  readonly cursor: string | undefined
  /** By crm's names: a connector renames or refuses them, any other server gets them unchanged. */
  readonly filters: Readonly<Record<string, string>>
  /** Aborts this list and its waits. */
  readonly signal?: AbortSignal | undefined
  /** Receives the answer of each page as the server gave it. */
  readonly onAnswer?: (answer: PageAnswer) => void
}

/** The current rate limit of a server, by its last answer. */
export interface StatedRate {
  /** Requests per window; undefined if not stated. */
  readonly limit: number | undefined
  /** The length of a window; undefined if not stated. */
  readonly windowMs: number | undefined
  readonly remaining: number
  readonly resetInMs: number
}

export interface WriteCallOptions {
  /** Aborts this call and its waits. */
  readonly signal?: AbortSignal | undefined
  /** Undefined: a new key for this call and its retries. */
  readonly idempotencyKey: string | undefined
  /** A record without an id is an error `bad_answer` with the idempotency key, because the caller needs the id. */
  readonly isIdNeeded?: boolean | undefined
  /** False: a create in doubt is not looked for in the list. */
  readonly isLookedFor?: false | undefined
  /** A sent request is not aborted when the client ends. */
  readonly isLetFinish?: boolean | undefined
}

export interface ConditionalOptions extends WriteCallOptions {
  /** An entity tag, bare or quoted: the write applies only while the record has it. */
  readonly ifMatch: string | undefined
}

export type DeleteOptions = Pick<ConditionalOptions, 'ifMatch' | 'signal' | 'isLetFinish'>

/** A request as it would be sent, without credentials. */
export interface PlannedRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query, from the origin. */
  readonly path: string
  readonly body?: JsonValue
}

export interface PlannedWrite {
  readonly kind: 'create' | 'update'
  readonly id?: string
  readonly fields: JsonObject
}

export interface Operations {
  list(query?: Partial<ListQuery>): AsyncIterable<Page>
  /** Undefined if it does not exist. CrmError `not_supported` if the server shows no single record. */
  get(id: string, signal?: AbortSignal): Promise<CrmRecord | undefined>
  create(fields: JsonObject, options: WriteCallOptions): Promise<CrmRecord>
  update(id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** A 404 or 410 on its own retry is success: an earlier try deleted the record. */
  delete(id: string, options: DeleteOptions): Promise<void>
  /** The request of a write, which is not sent; it may take reads to know it. CrmError as for the write itself. */
  preview(write: PlannedWrite): Promise<PlannedRequest>
  /** Sends a test event to a subscription. */
  test(id: string, options: WriteCallOptions): Promise<CrmRecord>
}
