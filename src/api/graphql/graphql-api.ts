import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord, ListedResource } from '../../core/resources/registry.ts'
import type { ConditionalOptions, ListQuery, Page } from '../operations.ts'

export interface GraphqlRequest {
  readonly query: string
  readonly variables: JsonObject
  readonly operationName: string | undefined
  /** Nothing is changed by it, so that it needs no idempotency key. */
  readonly isRead: boolean
  /** A change that can be repeated without a second effect. */
  readonly isRepeatable?: true
  readonly idempotencyKey: string | undefined
  /** An outage is not waited out: there is another way. */
  readonly isProbe?: true
  /** See Call. */
  readonly signal?: AbortSignal | undefined
  readonly isLetFinish?: boolean | undefined
  /** For messages and hints, where it is not a query of the user's own. */
  readonly as?: { readonly action: string; readonly command: string }
}

export interface GraphqlAnswer {
  /** As it came. */
  readonly text: string
  readonly json: JsonObject
  readonly errors: readonly JsonObject[]
}

export interface GraphqlReads {
  /** Undefined when it is not there. */
  get(resource: ListedResource, id: string): Promise<CrmRecord | undefined>
  list(noun: 'pipelines' | 'webhooks', query?: Partial<ListQuery>): AsyncIterable<Page>
  notes(dealId: string, query?: Partial<ListQuery>): AsyncIterable<Page>
  updateDeal(id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** How many deals are changed, each by a request of its own; found out anew. */
  dealUpdates(): Promise<DealUpdates>
}

/** All that a change of a deal needs but the deal: plain data, because it is kept with a plan. */
export interface DealUpdates {
  /** Behind the prefix of the server's address. */
  readonly path: string
  readonly query: string
  /** The members of the data that lead to the deal. */
  readonly place: readonly string[]
  /** What the input takes. */
  readonly members: readonly string[]
}

/** What goes over GraphQL, where the server has it. Loaded when it is first asked for: most commands never do. */
export interface GraphqlApi extends GraphqlReads {
  /** CrmError `not_supported` when the server has none; the errors of an answer are in it, and not thrown. */
  send(request: GraphqlRequest): Promise<GraphqlAnswer>
}

/** What is remembered of one server between two runs. */
export interface GraphqlMemory {
  read(): Promise<JsonObject | undefined>
  write(value: JsonObject): Promise<void>
}
