import type { WriteCallOptions } from '../api/operations.ts'
import type { JsonValue } from '../core/json.ts'

/** As the server sent it, with its id as text also where the server has numbers for ids. */
export interface CrmRecord {
  readonly id: string
  readonly [member: string]: JsonValue | undefined
}

/** One answer of a list. */
export interface Page<R = CrmRecord> {
  readonly items: readonly R[]
  /** Undefined on the last page, and where no cursor leads on. */
  readonly nextCursor: string | undefined
  /** `limit` cut this page: there are more records, without a cursor for the first of them. */
  readonly isCut?: true
  /** Whether more records follow where no cursor leads to them; absent where one does, and at the end. */
  readonly rest?: 'some' | 'unknown' | 'none'
}

/** Records one by one, fetched a page at a time as they are taken; `pages()` gives them a page at a time. */
export interface RecordList<R = CrmRecord> extends AsyncIterable<R> {
  pages(): AsyncIterable<Page<R>>
}

export interface ReadCall {
  /** Aborts this call and its waits. */
  readonly signal?: AbortSignal | undefined
}

export interface ListCall<Filters = Readonly<Record<string, string | undefined>>> extends ReadCall {
  /** Stop after this many records; undefined lists all. */
  readonly limit?: number | undefined
  /** Start where an earlier list stopped. */
  readonly cursor?: string | undefined
  /** Query parameters, sent unchanged; their meaning is up to the server. */
  readonly filters?: Filters
}

export type WriteCall = Partial<Omit<WriteCallOptions, 'isLetFinish'>>

interface Conditional {
  /** The version of the record, or an entity tag. */
  readonly ifMatch?: string | number | undefined
}

export type UpdateCall = WriteCall & Conditional

export type DeleteCall = ReadCall & Conditional

/** What a note is on: the id of a deal, or a record of another object that the server has notes on, such as `contacts`. */
export type NoteParent = string | { readonly on: string; readonly id: string }

/** A record of any object: its own members, and those that the server sets. */
export type RecordOf<Members> = Readonly<Members> & {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
}

/** The methods for the records of any object. */
export interface Records<Members extends object = Record<string, unknown>> {
  /** Requests a page at a time, as its records are consumed. */
  list(query?: ListCall): RecordList<RecordOf<Members>>
  /** Happens once, also if it is retried; with an `idempotencyKey` of yours also across runs. */
  create(fields: Members, options?: WriteCall): Promise<RecordOf<Members>>
  /** CrmError `not_found` for an unknown id. */
  get(id: string, options?: ReadCall): Promise<RecordOf<Members>>
  /** A JSON merge patch: null removes a member. `ifMatch`: only while the record has this version. */
  update(
    id: string,
    patch: { readonly [Name in keyof Members]?: Members[Name] | null },
    options?: UpdateCall,
  ): Promise<RecordOf<Members>>
  /** CrmError `not_found` for an unknown id. */
  delete(id: string, options?: DeleteCall): Promise<void>
}
