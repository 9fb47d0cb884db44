import type { JsonObject } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { CrmRecord, ListedResource, RESOURCES, Resource } from '../core/resources/registry.ts'
import type { Env } from '../core/streams.ts'
import type { Wire } from '../core/wire.ts'
import type { DescribedMembers } from './described-members.ts'
import type { GraphqlApi, GraphqlMemory } from './graphql/graphql-api.ts'
import type { RawApi } from './raw-api.ts'

/** One answer of a list, in the order the server gave. */
export interface Page {
  readonly items: readonly CrmRecord[]
  /** Where the next page starts, for `ListQuery.cursor` and nothing else; undefined on the last one. */
  readonly nextCursor: string | undefined
  /** There are more records than `limit` let through, and no cursor leads to the first of them. */
  readonly isCut?: true
  /** Without a cursor: whether more records follow. Absent where the list ends here, or the next request finds out. */
  readonly rest?: Rest
}

/** `unknown`: nothing says that this is the end. */
export type Rest = 'some' | 'unknown'

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

type Collection<D extends ResourceDefinition> = D['operations'] extends readonly []
  ? never
  : D extends { readonly parent: string }
    ? (parentId: string) => Pick<Operations, D['operations'][number]>
    : Pick<Operations, D['operations'][number]>

type ByPlural<D extends Readonly<Record<string, ResourceDefinition>>> = {
  readonly [R in keyof D as D[R]['plural']]: Collection<D[R]>
}

/** The operations of the contract, by the plural of the resource; those of notes and stages for one deal or pipeline. */
export type Collections = ByPlural<typeof RESOURCES>

/**
 * The nine documented endpoints, and what else a server may have. Every method throws a CrmError for what a server or a network can do wrong;
 * lists fetch lazily, a page at a time, and stop fetching when the consumer stops.
 */
export interface Api extends Collections {
  /** Over REST, or over GraphQL where the contract has no update of the resource. */
  update(resource: ListedResource, id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** Any other request to this server. */
  readonly raw: RawApi
  readonly graphql: GraphqlApi
  /** The members that the server documents for such a record; none without documentation. */
  describedMembers(resource: Resource): Promise<DescribedMembers>
  /** The limit in the last answer; undefined when it has none, or before the first request. */
  rate(): StatedRate | undefined
  /** Ends idle connections; without it the process lives on until they time out. */
  close(): Promise<void>
}

export interface Notice {
  /** The server that is spoken of. */
  readonly host: string
  readonly text: string
}

export interface ApiOptions {
  readonly baseUrl: URL
  readonly key: string
  readonly wire: Wire
  /** Longest life of one request. */
  readonly timeoutMs: number
  /** Longest time spent waiting, all in all, for rate limits and outages. */
  readonly maxWaitMs: number
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** A line about each request and wait, without secrets, for `--debug`; undefined without a listener. */
  readonly debug: ((line: string) => void) | undefined
  /** Told once when a wait begins that a person would notice: how long, and why. */
  readonly onWait: ((waitMs: number, reason: string) => void) | undefined
  /** Told once that a server means to take away what was asked for (RFC 9745, RFC 8594). */
  readonly onNotice?: ((notice: Notice) => Promise<void>) | undefined
  /** Told that a write was answered with what an earlier request under its idempotency key had done. */
  readonly onReplay?: ((action: string) => void) | undefined
  /** For hints: what leads to a key that is taken, where more is known than the address. */
  readonly loginHint?: string | undefined
  /** For hints: the database that `crm serve` had last at this address. */
  readonly serveDatabase?: string | undefined
  /** Of what was found out about the server's GraphQL; without it that is found out anew each time. */
  readonly memory?: GraphqlMemory | undefined
  /** For HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE, and nothing else; without it none of them applies. */
  readonly env?: Env | undefined
}
