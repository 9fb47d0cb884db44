import type { CrmError } from '../core/errors.ts'
import type { Page } from './operations.ts'
import type { Method } from './transport/call.ts'

export interface RawRequest {
  readonly method: Method
  /** Path and query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly bytes: Uint8Array | undefined
  readonly idempotencyKey: string | undefined
}

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

export interface RawOutcome {
  /** Undefined if no server answered. */
  readonly reply: RawReply | undefined
  /** Undefined for a success. */
  readonly error: CrmError | undefined
}

export interface RawListQuery {
  readonly limit: number | undefined
  /** The cursor of an earlier list; the path may also contain it. */
  readonly cursor: string | undefined
  /** Receives an answer that is not a page before its error is thrown. */
  readonly onRefused: (reply: RawReply) => void
}

/** Any request to the origin of the client, with its unprocessed answer. CrmError `usage` for a path to another origin. */
export interface RawApi {
  send(request: RawRequest): Promise<RawOutcome>
  /** The list at a path, with the same recognition of paging as elsewhere. */
  pages(path: string, query: RawListQuery): AsyncIterable<Page>
  /** The URL of a path, below the base URL. */
  locate(path: string): URL
}
