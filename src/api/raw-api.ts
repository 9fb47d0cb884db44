import type { CrmError } from '../core/errors.ts'
import type { Page } from './operations.ts'
import type { Method } from './transport/call.ts'

export interface RawRequest {
  readonly method: Method
  /** Path and query. */
  readonly path: string
  /** Names and values in turn. */
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
  /** Undefined when no server answered. */
  readonly reply: RawReply | undefined
  /** Undefined for a success. */
  readonly error: CrmError | undefined
}

export interface RawListQuery {
  readonly limit: number | undefined
  /** Where an earlier list stopped; the path may name it too. */
  readonly cursor: string | undefined
  /** Gets the answer that is not a page, before its error is thrown. */
  readonly onRefused: (reply: RawReply) => void
}

/** Any request to the origin of the client, and whatever it answers. CrmError `usage` for a path that could lead elsewhere. */
export interface RawApi {
  send(request: RawRequest): Promise<RawOutcome>
  /** The list behind a path, with the ways of paging that are recognised elsewhere. */
  pages(path: string, query: RawListQuery): AsyncIterable<Page>
  /** Where a path leads, behind the prefix of the server's address. */
  locate(path: string): URL
}
