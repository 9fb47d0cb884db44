import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKey, Scope, Store } from './store/store.ts'

/** A request that was let in: its key, scope, rate and parameter names were checked. */
export interface Call {
  /** As answers and problems repeat it. */
  readonly requestId: string
  /** Undefined on a route that is open to everyone. */
  readonly key: ApiKey | undefined
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** The one spelling of the path, for answers and cursors that point at it. */
  readonly path: string
  /** Of the path's `:id`; empty when the path has none. */
  readonly id: string
  /** Each parameter once, and only those that the route names. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly headers: IncomingHttpHeaders
  /** Undefined when no body was sent. */
  readonly body: Buffer | undefined
}

export interface Action {
  readonly name: string
  /** Although the reply may be a success, as it is in GraphQL. */
  readonly isRefused: boolean
}

export interface Reply {
  readonly status: number
  /** JSON text, or empty. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Of the body; JSON when it is left out. */
  readonly type?: string
  /** What was done, for the audit of the key, where method and path do not say it. */
  readonly actions?: readonly Action[]
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Undefined: open to everyone; `any`: the route looks at the scopes of the key itself. */
  readonly scope: Scope | 'any' | undefined
  /** Requests that are let in without a key although the others are not. */
  readonly needsNoKey?: (headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>) => boolean
  /** The query parameters it takes; any other is refused. */
  readonly parameters: readonly string[]
  /** Throws a Problem for every answer that is not a success. */
  handle(store: Store, call: Call): Promise<Reply>
}
