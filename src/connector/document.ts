import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Resource } from '../core/resources/registry.ts'

// A connector as loaded: shorthand expanded, `extends` and `like` merged, defaults filled in, every text checked.
// Paths and templates stay texts, because the document can be printed; `connector.ts` compiles them.

/** A path into JSON, such as `emails[primary=true].value`; see paths.ts. */
export type PathText = string

/** JSON in which texts may hold placeholders, such as `{ data: { values: '{record}' } }`; see templates.ts. */
export type TemplateJson = JsonValue

/** The values by which a field is cleared; `omit` leaves the member out. */
export type Clear = '' | null | readonly [] | 'omit'

export interface ConnectorDocument {
  readonly connector: 2
  readonly name: string
  readonly title?: string
  readonly docs?: string
  /** The shipped connector that this one changes. */
  readonly extends?: string
  /** The day on which it was drafted: jobs send only what was proven of it. */
  readonly drafted?: string
  readonly variables: Readonly<Record<string, Variable>>
  /** Scheme and host, as a template over the variables; undefined: that of the profile. */
  readonly origin: string | undefined
  readonly base: string
  readonly auth: Auth
  /** Of every request; operations have them among their own. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, TemplateJson>>
  readonly error: ErrorReading
  readonly limits: readonly Limit[]
  readonly idempotency: 'none' | 'unknown' | KeptKeys
  /** The longest time after which a request without an answer may still take effect. */
  readonly requestLifeMs?: number
  /** The path of GraphQL, for `crm graphql`. */
  readonly graphql?: string
  /** The member in which records of fixtures state their run. */
  readonly runMarker?: string
  readonly offers?: readonly (typeof OFFERS)[number][]
  readonly resources: Readonly<Partial<Record<Resource, ResourceDocument>>>
}

/** What a server may have beside records, at the paths of `crm serve`. */
export const OFFERS = ['history', 'key', 'fixtures', 'jobs'] as const

export type ServerOffer = (typeof OFFERS)[number]

export interface Variable {
  readonly ask: string
  /** A regular expression for the whole value. */
  readonly pattern?: string
}

export type Auth =
  | { readonly in: 'bearer' }
  | { readonly in: 'header' | 'query'; readonly name: string; readonly value: string }
  | { readonly in: 'basic'; readonly user: string; readonly password: string }

export const FAILURE_MEANINGS = ['exists', 'gone', 'limit', 'retry', 'auth', 'invalid'] as const

export type FailureMeaning = (typeof FAILURE_MEANINGS)[number]

/** Where a refusal states its parts; what is absent is read where most servers have it. */
export interface ErrorReading {
  readonly message?: PathText
  readonly code?: PathText
  readonly request?: PathText
  readonly fields?: { readonly items: PathText; readonly name?: PathText; readonly message?: PathText }
  readonly kinds: readonly {
    readonly status?: number
    readonly when?: { readonly at: PathText; readonly is: JsonValue }
    readonly means: FailureMeaning
  }[]
}

export interface Limit {
  readonly requests: number
  readonly perMs: number
}

export interface KeptKeys {
  readonly header: string
  readonly windowMs?: number
  readonly scope?: 'key' | 'account'
  /** The headers of answers that show that keys are kept; without them, this description is believed. */
  readonly kept?: readonly string[]
}

/** What holds unless a connector says otherwise. */
export const SENDING_DEFAULTS = { idempotencyHeader: 'Idempotency-Key', windowMs: 1_800_000, lifeMs: 120_000 } as const

export const PAGING_TYPES = ['cursor', 'page', 'offset', 'last', 'next_url', 'link', 'none'] as const

export type PagingType = (typeof PAGING_TYPES)[number]

export interface PagingDocument {
  readonly by: PagingType
  readonly param?: string
  readonly in: 'query' | 'body'
  /** Null or an empty text is the end. */
  readonly next?: PathText
  /** The last page has nothing at `next`; without it, its absence is an error. */
  readonly absent?: boolean
  /** False is the end. */
  readonly more?: PathText
  /** A cursor beside a false `more` is an error. */
  readonly agree?: boolean
  readonly total?: PathText
  /** The number of pages. */
  readonly pages?: PathText
  /** The number of the first page, or the first offset. */
  readonly start: number
  readonly size?: { readonly param: string; readonly max: number }
  /** The server lists no more than so many: reaching it is an error. */
  readonly most?: number
  /** With `by: last`: the path of the next page, with `{last}`. */
  readonly path?: string
}

export interface ResourceDocument {
  /** Records hold any member and any value: what has its own name is not converted. */
  readonly isOpen: boolean
  readonly parent: Resource | undefined
  readonly id: { readonly at: PathText; readonly type: 'string' | 'integer' }
  readonly createdAt: TimePlace | undefined
  readonly updatedAt: TimePlace | undefined
  readonly version: PathText | undefined
  /** True there: the record does not exist. */
  readonly deleted: PathText | undefined
  /** The object in which field paths, `others` and `{record}` begin; `.` is the record itself. */
  readonly inside: PathText
  /** Objects under `inside` whose members appear under their own names. */
  readonly others: readonly OtherPlace[]
  /** Names of own members that are never sent; `*` stands for any characters. */
  readonly readOnly: readonly string[]
  readonly select: SelectDocument | undefined
  readonly value: { readonly each: readonly PathText[]; readonly drop: readonly string[] } | undefined
  readonly clear: Clear
  /** Filters of the server by field; `any`: the server filters by each of its names. */
  readonly filters: 'any' | Readonly<Record<string, { readonly query: string } | { readonly body: TemplateJson }>>
  readonly list: ListOperation | undefined
  readonly get: Operation | undefined
  readonly create: Operation | undefined
  readonly update: Operation | undefined
  readonly delete: Operation | undefined
  readonly restore: Operation | undefined
  /** Sends a test event to a subscription. */
  readonly test?: Operation | undefined
  /** The deliveries of a subscription. */
  readonly deliveries?: ListOperation | undefined
  /** Delivers an event to a subscription again. */
  readonly resend?: Operation | undefined
  /** Makes a new secret for a subscription. */
  readonly rotate?: Operation | undefined
  /** By the name of a field. */
  readonly find: Readonly<Record<string, FindOperation>>
  readonly upsert: Readonly<Record<string, Operation>>
  readonly batch: Readonly<Partial<Record<BatchKind, BatchOperation>>>
  readonly fields: Readonly<Record<string, FieldDocument>>
}

/** Records show only the members that a request names. */
export interface SelectDocument {
  readonly param: string
  readonly as: 'comma' | 'repeat'
  /** The list of the names that can be asked for; undefined: the server has none. */
  readonly names: NamesDocument | undefined
}

export interface NamesDocument {
  readonly operation: Operation
  /** Of each name. */
  readonly items: PathText
  /** The name in such an item. */
  readonly at: PathText
  /** True there: the server sets the member, and refuses it in a write. */
  readonly readOnly: PathText | undefined
}

/** The text of a path alone stands for a place that takes any name. */
export interface OtherPlace {
  readonly at: PathText
  /** A regular expression for the whole name: members that belong here, although no record shows where they are. */
  readonly names: string | undefined
}

export const WIRE_FORMS = ['rfc3339', 'unix', 'unix_ms', 'YYYY-MM-DD hh:mm:ss', 'string', 'integer', 'cents'] as const

export type WireForm = (typeof WIRE_FORMS)[number]

export type TimeForm = Exclude<WireForm, 'integer' | 'cents'>

export interface TimePlace {
  readonly at: PathText
  readonly as: TimeForm
}

/** What the success of a write is. */
export interface OkTest {
  /** Undefined: any 2xx but 202. */
  readonly statuses?: readonly number[]
  readonly at?: PathText
  readonly is?: JsonValue
  /** Nothing stands at `at`. */
  readonly absent?: true
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Replaces the base of the connector; undefined: that base, or the path of the profile's address. */
  readonly base: string | undefined
  /** Below the base: that of the request; `{id}`, `{parent}` and variables are segments. */
  readonly path: string
  /** With those of the connector. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, TemplateJson>>
  readonly body: TemplateJson | undefined
  /** Constant members of the record that is sent. */
  readonly set: JsonObject
  /** The record in the answer to a read of one. */
  readonly record: PathText
  readonly ok: OkTest
  /** Where the answer to a write shows the record or its id. `record`: it is the whole answer. */
  readonly gives: 'record' | 'nothing' | PathText
  /** `changes`: an object is sent with all that the record shows in it; `merge`: the server merges objects. */
  readonly sends: 'changes' | 'whole' | 'merge'
  /** Members of the whole record that the server does not take back. */
  readonly drop: readonly string[]
  /** In place of those of the connector. */
  readonly limits?: readonly Limit[]
  /** How long a deleted record can be restored. */
  readonly restorableMs?: number
  /** With `upsert`: whether the record was made. */
  readonly made?: PathText
}

export interface ListOperation extends Operation {
  /** Each record; `[]` if the answer itself is the list. */
  readonly items: PathText
  /** Null in place of the list is an empty one. */
  readonly isNullEmpty?: true
  /** Members taken from the element that encloses the record. */
  readonly up: Readonly<Record<string, PathText>>
  /** Only records with these values belong to the list. */
  readonly keep: Readonly<Record<string, TemplateJson>>
  readonly paging: PagingDocument
}

export interface FindOperation extends ListOperation {
  readonly gives: 'record' | 'id'
  /** The age of the index; undefined: unknown. */
  readonly lagMs: number | undefined
  /** The number of values in one request. */
  readonly values: number
}

export const BATCH_KINDS = ['create', 'update', 'upsert', 'delete', 'read'] as const

export type BatchKind = (typeof BATCH_KINDS)[number]

export interface BatchOperation extends Operation {
  readonly size: number
  readonly item: TemplateJson
  /** The fields other than the id by which it can ask, with the server's names. */
  readonly by: Readonly<Record<string, string>>
  readonly results: PathText | undefined
  readonly errors: PathText | undefined
  /** Where a result or an error names its row; undefined: by id, then by `by`. */
  readonly row: { readonly result: PathText; readonly error: PathText } | undefined
  /** `all`: a 2xx accounts for every row. */
  readonly accounts: 'each' | 'all'
}

/** `any`: JSON of any type, which is not converted. */
export const FIELD_TYPES = ['string', 'number', 'integer', 'id', 'time', 'date', 'html', 'any'] as const

export type ValueType = (typeof FIELD_TYPES)[number]

export interface FieldDocument {
  /** Several with `join` or `map`. */
  readonly read: readonly PathText[]
  /** Empty: read only. */
  readonly write: readonly PathText[]
  /** Texts of several members: read joined by a space, written split at the first one. */
  readonly isJoined: boolean
  /** A text of one word is the last of its parts, not the first. */
  readonly isLoneLast: boolean
  /** Written for a part that has no text; undefined: left out of a create, and cleared by an update. */
  readonly emptyPart: '' | undefined
  /** Members of an element that is made for this value. */
  readonly new: JsonObject
  /** Written beside the value, by path; `{value}` stands for it. */
  readonly set: JsonObject
  readonly map: Readonly<Record<string, JsonValue>> | undefined
  readonly isOne: boolean
  readonly type: ValueType
  /** On the wire; undefined: the usual form of the type. */
  readonly as: WireForm | undefined
  /** A name here, an id there. */
  readonly ref: Resource | undefined
  /** The fields of the referred record that equal fields of this one. */
  readonly within: Readonly<Record<string, string>>
  readonly isRequired: boolean
  readonly max: readonly number[]
  readonly when: 'always' | 'create'
  readonly isCaseFolded: boolean
  readonly clear: Clear
}
