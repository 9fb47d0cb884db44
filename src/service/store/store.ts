import type { EventKind } from '../../core/event-kinds.ts'
import type { PlainResource, RecordResource, StoredResource } from '../../core/resources/registry.ts'
import type { Deliveries, DeliveryEntry } from './deliveries.ts'

export interface StoreOptions {
  /** The path of a database file, or `:memory:`, which keeps nothing. A file that is not there is made, and its folder too. */
  readonly address: string
  readonly now: () => number
  /** False refuses a database that is not there. */
  readonly isCreated?: boolean
  /** Nothing is to be written: a database that may only be read is then taken. */
  readonly isOnlyRead?: boolean
}

/** What a store keeps of each record. */
export interface StoredRecord {
  readonly id: string
  readonly version: number
  /** The record as answers carry it; a page is joined from these texts, never parsed and re-serialised. */
  readonly text: string
}

/** The members of a deal that lists filter by, kept as columns beside its text. */
export interface DealColumns {
  readonly name: string
  readonly stage: string
  readonly ownerId: string | null
  readonly pipelineId: string
  readonly amount: number | null
}

/** What delivery needs of a subscription. The secret lives here alone, never in the record's text. */
export interface WebhookColumns {
  readonly url: string
  /** Event patterns, as `matchesEvent` reads them. */
  readonly events: readonly string[]
  readonly secret: string
}

/** Values of one list are alternatives, lists are combined; times bound `created_at`, inclusive. */
export interface DealFilters {
  readonly names: readonly string[]
  readonly stages: readonly string[]
  readonly ownerIds: readonly string[]
  readonly pipelineIds: readonly string[]
  readonly amountAtLeast: number | undefined
  readonly amountAtMost: number | undefined
  readonly createdSinceMs: number | undefined
  readonly createdUntilMs: number | undefined
}

export interface PageQuery {
  readonly limit: number
  /** Only records older than this one; undefined starts at the newest. */
  readonly olderThanId: string | undefined
}

/** Newest first. */
export interface TextPage {
  readonly texts: readonly string[]
  /** Where the next page starts; undefined when this one is the last. */
  readonly nextOlderThanId: string | undefined
}

/** Newest first, and joined with commas. */
export interface JoinedPage {
  readonly text: string
  readonly nextOlderThanId: string | undefined
}

/** The notes of several deals at once, of each the newest. */
export interface NotesQuery extends PageQuery {
  readonly dealIds: readonly string[]
  /** Of all texts together: beyond it, reading ends and the last deals have fewer notes than they should. */
  readonly maxChars: number
}

/** An answer to a write, byte for byte what a replay of its idempotency key gives. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly location: string | undefined
  readonly etag: string | undefined
}

export interface OutboxEvent {
  readonly kind: EventKind
  /** The body that subscribers get; its signature and headers are made when it is sent. */
  readonly text: string
}

/** A webhook's next secret; the one before it signs too until then. */
export interface SecretRotation {
  readonly secret: string
  readonly oldUntilMs: number
}

/** What a write does to its record, decided from the record's state inside the transaction. */
export interface Change {
  /** Undefined removes the record. */
  readonly next: { readonly text: string; readonly version: number } | undefined
  /** For deals, the columns of `next`. */
  readonly deal: DealColumns | undefined
  /** For webhooks, the columns of `next`; absent keeps what an existing one has. */
  readonly webhook?: WebhookColumns | undefined
  readonly rotation?: SecretRotation
  /** The delivery of `Write.delivery` starts over, now. */
  readonly isResent?: true
  readonly event: OutboxEvent | undefined
  readonly answer: Answer
}

export interface WriteState {
  /** Of the record that is changed, or given to the one that is created. */
  readonly id: string
  /** The write's own time; of a created record, the `created_at` that its id was made from. */
  readonly nowMs: number
  /** Undefined when the record is to be created, or is not there. */
  readonly current: StoredRecord | undefined
  /** Whether `parent` is there; true when the write names none. */
  readonly isParentThere: boolean
  /** The one that the write names; undefined when it names none, or one that is not there. */
  readonly delivery?: DeliveryEntry | undefined
}

export interface Write {
  readonly kind: StoredResource
  /** The record to change; undefined creates one. */
  readonly id: string | undefined
  /** A record that must be there for the write to make sense (the deal of a note). */
  readonly parent: { readonly kind: StoredResource; readonly id: string } | undefined
  /** The event whose delivery to the webhook of `id` the write is about. */
  readonly deliveryOf?: string | undefined
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | undefined
  /** Pure, and may run more than once. Throws to refuse: then nothing is written and `write` rejects with what it threw. */
  decide(state: WriteState): Change
}

export type WriteResult =
  | { readonly type: 'done'; readonly answer: Answer }
  /** The key was used before for the same request. */
  | { readonly type: 'replayed'; readonly answer: Answer }
  /** The key was used before for another request. */
  | { readonly type: 'key_reused' }
  /** Another process holds the key right now; a store whose writes queue up never says so. */
  | { readonly type: 'in_progress' }
  /** Another record has this value of a member that is unique; nothing was written, and the key is free. */
  | { readonly type: 'already_exists'; readonly member: string; readonly existingId: string }

export type Scope = 'read' | 'write'

/** How many requests a key may send in a time; `none` leaves it unlimited. */
export type KeyRate = { readonly requests: number; readonly windowMs: number } | 'none'

export interface ApiKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the key, hex; the key itself is never kept. */
  readonly hash: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Undefined: the rate of the service. */
  readonly rate?: KeyRate | undefined
  /** Behind by as long as uses are gathered before they are written. */
  readonly lastUsedAtMs?: number | undefined
}

/** How long the audit log keeps an hour. */
export const KEY_USES_KEPT_MS = 90 * 24 * 60 * 60 * 1000

/** What one key did in one hour, in requests of one kind. */
export interface KeyUse {
  readonly keyId: string
  /** `POST /v1/contacts`. */
  readonly action: string
  readonly hourMs: number
  readonly count: number
  /** Of them, answered with 400 or above. */
  readonly refusedCount: number
  readonly lastAtMs: number
  /** The network address that the last of them came from. */
  readonly lastAddress: string
}

export interface KeyUseQuery {
  /** Undefined: of all keys. */
  readonly keyId: string | undefined
  readonly sinceMs: number
}

export interface Stage {
  readonly id: string
  readonly name: string
  readonly position: number
  /** 0..1; undefined when the pipeline does not say. */
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
  readonly resource: PlainResource
  readonly member: string
}

/** A value of a unique member that several records have, with their ids from the oldest on. */
export interface SharedValue extends UniqueMember {
  readonly value: string
  readonly ids: readonly string[]
}

export interface StoreStats {
  readonly records: Readonly<Record<RecordResource, number>>
  readonly pipelines: number
  readonly enabledWebhooks: number
  readonly disabledWebhooks: number
  /** Neither revoked nor expired. */
  readonly liveKeys: number
  /** Deliveries that have not ended, and those of them of which a try has failed. */
  readonly openDeliveries: number
  readonly failingDeliveries: number
  readonly oldestOpenEventMs: number | undefined
  /** Answers that are kept for replays. */
  readonly idempotencyKeys: number
  /** On disk, the write-ahead log left out. */
  readonly sizeBytes: number
}

/** What the service needs of a database. One suite of tests runs over every implementation. */
export interface Store {
  page(resource: PlainResource | 'webhook', query: PageQuery): Promise<TextPage>
  /** The same page where none of its records is read, at less cost. */
  joinedPage(resource: PlainResource, query: PageQuery): Promise<JoinedPage>
  deals(query: PageQuery, filters: DealFilters): Promise<TextPage>
  /** A page for each deal; one that is not there has an empty one. */
  notes(query: NotesQuery): Promise<ReadonlyMap<string, TextPage>>
  /** By id; those that are not there are left out, as are ids of another kind. */
  records(kind: StoredResource, ids: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>>
  /** What `write` would find under the key before it did anything. */
  replay(idempotency: NonNullable<Write['idempotency']>): Promise<WriteResult | undefined>
  /** Resolves after the write is durable. Key, record and event commit together or not at all. */
  write(write: Write): Promise<WriteResult>
  pipelines(): Promise<readonly Pipeline[]>
  /** Replaces names, order and stages of these pipelines; refuses, changing nothing, to drop a stage that deals are in. */
  putPipelines(pipelines: readonly Pipeline[]): Promise<void>
  /** The members of contacts of which no two have the same value; in the order of their names. */
  uniqueMembers(): Promise<readonly UniqueMember[]>
  /** The given members are all there are afterwards, unless records share a value: then they are named, and nothing changes. */
  putUniqueMembers(members: readonly UniqueMember[]): Promise<readonly SharedValue[]>
  /** Read on every request, so that a key revoked by another process stops working at once. */
  findKey(hash: string): Promise<ApiKey | undefined>
  keys(): Promise<readonly ApiKey[]>
  addKey(key: ApiKey): Promise<void>
  /** Earlier ends win: a key that is revoked or expires sooner is left so. */
  endKey(id: string, end: { readonly expiresAtMs: number } | { readonly revokedAtMs: number }): Promise<void>
  /** Adds to the hours that are there. Not durable against a power cut; forgets hours beyond KEY_USES_KEPT_MS. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>
  /** Newest hour first. */
  keyUses(query: KeyUseQuery): Promise<readonly KeyUse[]>
  /** Counts rows: not for every request. */
  stats(): Promise<StoreStats>
  /** Rejects with a CrmError when nothing can be written right now: the database is locked, or its disk is full. */
  checkWritable(): Promise<void>
  readonly deliveries: Deliveries
  close(): Promise<void>
}
