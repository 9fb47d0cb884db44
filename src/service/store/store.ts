import type { DescribedObjects } from '../../core/resources/own-objects.ts'
import type { OpenResource, StoredResource } from '../../core/resources/registry.ts'
import type { EventKind } from '../../core/webhook-events.ts'
import type { RequestCount } from '../rate-limit.ts'
import type { Deliveries, DeliveryEntry } from './deliveries.ts'
import type { FixtureRuns } from './fixture-runs.ts'
import type { Author, ChangedMembers, HistoryPage, HistoryQuery } from './history.ts'
import type { StoreStats } from './store-stats.ts'

/** A record in a store. */
export interface StoredRecord {
  readonly id: string
  readonly version: number
  /** The record as returned to clients. Pages are joined from these texts without parsing. */
  readonly text: string
}

/** The members of a deal used by filters, stored as columns besides its text. */
export interface DealColumns {
  readonly name: string
  readonly stage: string
  readonly ownerId: string | null
  readonly pipelineId: string
  readonly amount: number | null
}

/** The columns of a subscription used for delivery. The secret is stored only here, never in the record's text. */
export interface WebhookColumns {
  readonly url: string
  /** Event patterns, as `matchesEvent` reads them. */
  readonly events: readonly string[]
  /** Undefined: an existing webhook keeps its secret. */
  readonly secret?: string
}

/** The resources of which all records can be listed. */
export type ListedRecord = OpenResource | 'deal' | 'webhook'

/** Values of one field are alternatives; fields are combined. Bounds are inclusive; times are those of `created_at`. */
export interface RecordFilters {
  readonly values?: Readonly<Record<string, readonly string[]>> | undefined
  /** Of deals. */
  readonly amountAtLeast?: number | undefined
  readonly amountAtMost?: number | undefined
  readonly createdSinceMs?: number | undefined
  readonly createdUntilMs?: number | undefined
}

export interface PageQuery {
  readonly limit: number
  /** Only records older than this one; undefined starts at the newest. */
  readonly olderThanId: string | undefined
}

/** Newest first; of the limit, those that fit into PAGE_BYTES. */
export interface TextPage {
  readonly texts: readonly string[]
  /** The start of the next page; undefined on the last page. */
  readonly nextOlderThanId: string | undefined
}

/** Newest first, and joined with commas. */
export interface JoinedPage {
  readonly text: string
  readonly nextOlderThanId: string | undefined
}

/** The newest notes of several deals. */
export interface NotesQuery extends PageQuery {
  readonly dealIds: readonly string[]
  /** Total length of the texts of several deals. Reading stops beyond it, and the last deals have too few notes. */
  readonly maxChars: number
}

/** The answer to a write; a replay of its idempotency key returns the same bytes. */
export interface WriteAnswer {
  readonly status: number
  readonly body: string
  readonly location: string | undefined
  readonly etag: string | undefined
}

export interface OutboxEvent {
  readonly kind: EventKind
  /** The body for subscribers; signature and headers are added on sending. */
  readonly text: string
}

/** The new secret of a webhook; the previous one also signs until `oldUntilMs`. */
export interface SecretRotation {
  readonly secret: string
  readonly oldUntilMs: number
}

/** The change of a record, decided from its state inside the transaction. */
export interface RecordChange {
  /** Undefined removes the record. */
  readonly next: { readonly text: string; readonly version: number } | undefined
  /** For deals, the columns of `next`. */
  readonly deal?: DealColumns | undefined
  /** For webhooks, the columns of `next`; when missing, an existing webhook keeps its columns. */
  readonly webhook?: WebhookColumns | undefined
  readonly rotation?: SecretRotation
  /** Restarts the delivery of `Write.deliveryOf` now. */
  readonly isResent?: true
  readonly event?: OutboxEvent | undefined
  /** An event for the changed webhook alone, whatever events it names; its id is `WriteState.eventId`. */
  readonly ownEvent?: OutboxEvent
  /** For a removed deal: the event of each of its notes, which are removed with it. */
  readonly noteEvents?: { readonly kind: EventKind; eventOf(noteText: string): OutboxEvent } | undefined
  /** For the history; undefined when nothing is changed. */
  readonly changed?: (() => ChangedMembers) | undefined
  readonly answer: WriteAnswer
}

export interface WriteState {
  /** The id of the changed record, or the new id of a created one. */
  readonly id: string
  /** The time of the write; for a created record, the `created_at` in its id. */
  readonly nowMs: number
  /** Undefined when the record is created or does not exist. */
  readonly current: StoredRecord | undefined
  /** Whether `parent` exists; true when the write names none. */
  readonly isParentThere: boolean
  /** Those of `StoreWrite.references` that do not exist. */
  readonly missing?: readonly NamedRecord[] | undefined
  /** The delivery of `Write.deliveryOf`; undefined when it is not set or does not exist. */
  readonly delivery?: DeliveryEntry | undefined
  /** The id of `RecordChange.ownEvent`; undefined when the write has none. */
  readonly eventId?: string | undefined
}

/** A record that a member of another one names. */
export interface NamedRecord {
  readonly member: string
  readonly resource: StoredResource
  readonly id: string
}

export interface StoreWrite {
  readonly resource: StoredResource
  /** The record to change; undefined creates one. */
  readonly id: string | undefined
  /** A record that must exist (the deal of a note). */
  readonly parent?: { readonly resource: StoredResource; readonly id: string } | undefined
  /** The records that the change names, of which `WriteState.missing` has those that do not exist. */
  readonly references?: readonly NamedRecord[] | undefined
  /** An event whose delivery to the webhook `id` is passed to `decide`. */
  readonly deliveryOf?: string | undefined
  /** `decide` returns an event for the webhook `id` alone. */
  readonly hasOwnEvent?: true
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | undefined
  /** For the history. */
  readonly by?: Author | undefined
  /** Pure; may run more than once. When it throws, nothing is written and `write` rejects with the error. */
  decide(state: WriteState): RecordChange
}

export type WriteResult =
  | { readonly type: 'done'; readonly answer: WriteAnswer }
  /** The key was used before for the same request. */
  | { readonly type: 'replayed'; readonly answer: WriteAnswer }
  /** The key was used before for another request. */
  | { readonly type: 'key_reused' }
  /** Another process is writing with the key now; nothing was written. */
  | { readonly type: 'key_in_use' }
  /** Another record has this value of a member that is unique; nothing was written, and the key is free. */
  | { readonly type: 'already_exists'; readonly member: string; readonly existingId: string }

export type KeyScope = 'read' | 'write'

/** The requests that a key may send per window; `none`: unlimited. */
export type KeyRate = { readonly requests: number; readonly windowMs: number } | 'none'

export interface ApiKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the key, in hex; the key itself is never stored. */
  readonly hash: string
  readonly lastFour: string
  readonly scopes: readonly KeyScope[]
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Undefined: the rate of the service. */
  readonly rate?: KeyRate | undefined
  /** Delayed by the interval in which uses are gathered. */
  readonly lastUsedAtMs?: number | undefined
}

/** How long the audit log keeps the uses of an hour. */
export const KEY_USES_KEPT_MS = 90 * 24 * 60 * 60 * 1000

/** The uses of a key for one action in one hour. */
export interface KeyUse {
  readonly keyId: string
  /** For example `POST /v1/contacts`. */
  readonly action: string
  readonly hourMs: number
  readonly count: number
  /** The number answered with 400 or above. */
  readonly refusedCount: number
  readonly lastAtMs: number
  /** The network address of the last one. */
  readonly lastAddress: string
}

export interface KeyUseQuery {
  /** Undefined: all keys. */
  readonly keyId: string | undefined
  readonly sinceMs: number
}

export interface Stage {
  readonly id: string
  readonly name: string
  readonly position: number
  /** 0..1; undefined when not set. */
  readonly probability: number | undefined
}

export interface Pipeline {
  readonly id: string
  readonly name: string
  /** In order of position. The first pipeline of a store is the default one. */
  readonly stages: readonly Stage[]
}

/** A member of which no two records of the resource have the same value. */
export interface UniqueMember {
  readonly resource: OpenResource
  readonly member: string
}

/** A value of a unique member shared by several records, with their ids, oldest first. */
export interface SharedValue extends UniqueMember {
  readonly value: string
  readonly ids: readonly string[]
}

/** The database of the service. One test suite runs over every implementation. */
export interface Store {
  page(resource: ListedRecord, query: PageQuery, filters?: RecordFilters): Promise<TextPage>
  /** The same page as one text, at less cost. */
  joinedPage(resource: OpenResource, query: PageQuery): Promise<JoinedPage>
  /** One page per deal; empty for a deal that does not exist. */
  notes(query: NotesQuery): Promise<ReadonlyMap<string, TextPage>>
  /** Records by id, without unknown ids and ids of another resource. */
  records(resource: StoredResource, ids: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>
  /** The changes of records, kept for `Retention.historyMs`. */
  history(query: HistoryQuery): Promise<HistoryPage>
  /** The result that `write` would return for a used key, without writing. */
  replay(idempotency: NonNullable<StoreWrite['idempotency']>): Promise<WriteResult | undefined>
  /** Resolves when the write is durable. Key, record and event are committed atomically. */
  write(write: StoreWrite): Promise<WriteResult>
  pipelines(): Promise<readonly Pipeline[]>
  /** Replaces all pipelines and stages. Rejects, changing nothing, when a dropped stage has deals. */
  putPipelines(pipelines: readonly Pipeline[]): Promise<void>
  /** The unique members by resource, in alphabetical order. */
  uniqueMembers(): Promise<readonly UniqueMember[]>
  /** Replaces the unique members. When records share values, returns these and changes nothing. */
  putUniqueMembers(members: readonly UniqueMember[]): Promise<readonly SharedValue[]>
  /** Keeps the descriptions of objects beside those that are there. */
  putObjects(objects: DescribedObjects): Promise<void>
  /** Asked on every request. A key that another process revokes stops with the next turn of the event loop (PostgreSQL: in 500 ms). */
  findKey(hash: string): Promise<ApiKey | undefined>
  /** By id. */
  keys(): Promise<readonly ApiKey[]>
  addKey(key: ApiKey): Promise<void>
  /** The earlier end wins: a key that is revoked or expires sooner is unchanged. */
  endKey(id: string, end: { readonly expiresAtMs: number } | { readonly revokedAtMs: number }): Promise<void>
  /** Adds to existing hours. Not durable against a power cut. Deletes hours beyond KEY_USES_KEPT_MS. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>
  /** Newest hour first. */
  keyUses(query: KeyUseQuery): Promise<readonly KeyUse[]>
  /** Counts rows, so it is too slow for every request. */
  stats(): Promise<StoreStats>
  /** The clock of the store, and of all processes of its database with `sharesClock`. */
  readonly now: () => number
  /**
   * Counts requests over all processes. Resolves with the number of requests of
   * the window before these. Undefined: the processes of a database do not share windows.
   */
  readonly countRequests?: (taken: RequestCount) => Promise<number>
  /** Rejects with a CrmError when nothing can be written: the database is locked, or its disk is full. */
  checkWritable(): Promise<void>
  readonly deliveries: Deliveries
  readonly fixtureRuns: FixtureRuns
  /** Before `close`: what waits for a database that does not answer is rejected. A file of SQLite always answers. */
  readonly giveUp?: () => void
  close(): Promise<void>
}
