import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord, ListedResource } from '../../core/resources/registry.ts'
import type { ConditionalOptions, ListQuery, Page, WriteCallOptions } from '../operations.ts'

export interface GraphqlRequest {
  readonly query: string
  readonly variables: JsonObject
  readonly operationName: string | undefined
  /** It changes nothing, and needs no idempotency key. */
  readonly isRead: boolean
  /** A change that can be repeated without a second effect. */
  readonly isRepeatable?: true
  readonly idempotencyKey: string | undefined
  /** crm does not wait out an outage, because it has an alternative. */
  readonly isProbe?: true
  /** See Call. */
  readonly signal?: AbortSignal | undefined
  readonly isLetFinish?: boolean | undefined
  /** For messages and hints, if crm wrote the query. */
  readonly as?: { readonly action: string; readonly command: string }
}

export interface GraphqlAnswer {
  /** The body, unchanged. */
  readonly text: string
  readonly json: JsonObject
  readonly errors: readonly JsonObject[]
  /** The answer to an earlier try was lost, and that try may have taken effect. */
  readonly isAfterLostTry?: boolean | undefined
}

export interface DeliveryName {
  readonly webhookId: string
  readonly eventId: string
}

/** The newest first, with the member names of REST. */
export interface NewestDeliveries {
  readonly items: readonly JsonObject[]
  /** There are older ones, or the server does not say that there are none. */
  readonly hasOlder: boolean
}

export interface GraphqlReads {
  /** Undefined if it does not exist. */
  get(resource: ListedResource, id: string): Promise<CrmRecord | undefined>
  list(noun: 'pipelines' | 'webhooks', query?: Partial<ListQuery>): AsyncIterable<Page>
  notes(dealId: string, query?: Partial<ListQuery>): AsyncIterable<Page>
  /** The newest deliveries of each subscription by its id. */
  newestDeliveries(signal: AbortSignal): Promise<ReadonlyMap<string, NewestDeliveries>>
  /** All deliveries of a subscription, the newest first. CrmError `not_supported` where no cursor leads to them. */
  deliveries(webhookId: string, query?: Partial<ListQuery>): AsyncIterable<Page>
  /** Makes a new secret for a subscription, which is the result. CrmError `in_doubt` if the answer does not show it. */
  rotateSecret(id: string, options: WriteCallOptions): Promise<string>
  /** Starts a delivery again, from its first attempt. */
  resendDelivery(delivery: DeliveryName, options: WriteCallOptions): Promise<void>
  updateDeal(id: string, patch: JsonObject, options: ConditionalOptions): Promise<CrmRecord>
  /** What bulk updates of deals need; reads the schema again. */
  dealUpdates(): Promise<DealUpdates>
}

/** The request for updating any deal. Plain data, because it is stored with a plan. */
export interface DealUpdates {
  /** Below the path of the base URL. */
  readonly path: string
  readonly query: string
  /** The members of the data that lead to the deal. */
  readonly place: readonly string[]
  /** The members of the input type. */
  readonly members: readonly string[]
}

/** Requests over GraphQL, if the server has it. Loaded on first use: most commands do not need it. */
export interface GraphqlApi extends GraphqlReads {
  /** CrmError `not_supported` if the server has none. Errors in the answer are returned, not thrown. */
  send(request: GraphqlRequest): Promise<GraphqlAnswer>
}

/** The cache for one server between runs. */
export interface GraphqlMemory {
  read(): Promise<JsonObject | undefined>
  write(value: JsonObject): Promise<void>
}
