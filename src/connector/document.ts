import type { JsonValue } from '../core/json.ts'
import type { DescribedObject } from '../core/resources/own-objects.ts'
import type { Resource } from '../core/resources/registry.ts'
import type { ReadConnector } from './format.ts'
import type { BATCH_KINDS } from './shared-parts.ts'

// A connector as loaded: shorthand expanded, `extends` and `like` merged, defaults filled in, every text checked. The format says
// what each member means. Paths and templates stay texts, because the document is kept as JSON; `connector.ts` compiles them.

/** A path into JSON, such as `emails[primary=true].value`; see paths.ts. */
export type PathText = string

type ReadObject = ReadConnector['objects'][string]
type ReadVerbs = ReadObject['verbs']
type Read<Verb extends keyof ReadVerbs> = NonNullable<ReadVerbs[Verb]>

export type ConnectorDocument = Omit<
  ReadConnector,
  'record' | 'verbs' | 'batch' | 'select' | 'paging' | 'schema' | 'objects' | 'idempotency' | 'links'
> & {
  readonly schema?: SchemaDocument | undefined
  readonly links?: LinksDocument | undefined
  readonly idempotency: 'none' | 'unknown' | KeptKeys
  /** The longest time after which a request without an answer may still take effect. */
  readonly requestLifeMs?: number | undefined
  readonly resources: Readonly<Partial<Record<Resource, ResourceDocument>>>
  /** By their plural, the objects that only this connector has; they are resources once they are defined. */
  readonly described?: Readonly<Record<string, OwnObject>> | undefined
  /** What is said of all objects that `schema` lists, with `{type}` in its texts. */
  readonly listed?: ResourceDocument | undefined
}

type ReadSchema = NonNullable<ReadConnector['schema']>

export type SchemaDocument = Omit<ReadSchema, 'fields'> & {
  readonly fields?: SchemaFields | undefined
}

type SchemaFields = Omit<NonNullable<ReadSchema['fields']>, 'types'> & {
  readonly types: Readonly<Record<string, FieldDocument>>
}

type ReadLinks = NonNullable<ReadConnector['links']>

export type LinkRequest = 'types' | 'read' | 'add' | 'remove' | 'unlabel'

/** Each request, whose path has {from} and {to}. */
export type LinksDocument = Pick<ReadLinks, 'size' | 'new'> & {
  readonly [Name in LinkRequest]: Operation & ReadLinks[Name]
}

interface OwnObject {
  readonly object: DescribedObject
  readonly document: ResourceDocument
}

/** What a server may have beside records, at the paths of `crm serve`. */
export type ServerOffer = NonNullable<ReadConnector['offers']>[number]

export type FailureMeaning = ReadConnector['error']['kinds'][number]['means']

export type Limit = ReadConnector['limits'][number]

type ReadIdempotency = Exclude<ReadConnector['idempotency'], string>

export interface KeptKeys extends Partial<Pick<ReadIdempotency, 'scope' | 'kept'>> {
  readonly header: string
  readonly windowMs?: number | undefined
}

type ReadPaging = Read<'list'>['paging']

export type PagingDocument = Pick<ReadPaging, 'by' | 'in' | 'start'> & Partial<ReadPaging>

export type ResourceDocument = Pick<ReadObject, 'others' | 'read_only' | 'value' | 'filters'> &
  ReadObject['record'] & {
    readonly parent: Resource | undefined
    /** By the kind of a parent, what `{on.NAME}` stands for. */
    readonly parents?: Readonly<Partial<Record<Resource, Readonly<Record<string, string>>>>> | undefined
    /** Records show only the members that a request names. */
    readonly select:
      | ({ readonly param: string } & Pick<ReadSelect, 'as'> & Partial<Pick<ReadSelect, 'most'>>)
      | undefined
    /** The request for the members that records can have. */
    readonly names: NamesDocument | undefined
    readonly list: ListOperation | undefined
    readonly deliveries?: ListOperation | undefined
    /** By the name of a field. */
    readonly find: Readonly<Record<string, FindOperation>>
    readonly upsert: Readonly<Record<string, Operation>>
    readonly batch: Readonly<Partial<Record<BatchKind, BatchOperation>>>
    readonly fields: Readonly<Record<string, FieldDocument>>
    /** By field, the object whose ids it has, and its noun in requests; `from` is that of this object. */
    readonly links?: LinkFields | undefined
  } & { readonly [Verb in 'get' | 'create' | 'update' | 'delete' | 'restore']: Operation | undefined } & {
    readonly [Verb in 'test' | 'resend' | 'rotate']?: Operation | undefined
  }

export interface LinkFields {
  readonly from: string
  readonly fields: Readonly<Record<string, { readonly to: Resource; readonly noun: string }>>
}

type ReadSelect = NonNullable<ReadObject['select']>

export type NamesDocument = Operation & NonNullable<ReadSelect['names']>

/** Of any verb: with the defaults of what its own has no member for. */
export type Operation = Omit<Read<'get'>, 'method'> &
  Pick<Read<'update'>, 'set' | 'sends' | 'drop'> & {
    readonly method: Read<'get'>['method'] | Read<'update'>['method']
    readonly ok: OkTest
    /** `record`: it is the whole answer. */
    readonly gives: 'record' | 'nothing' | PathText
    readonly restorable?: number | undefined
    readonly made?: { readonly at: PathText; readonly is: JsonValue } | undefined
  }

/** What the success of a write is. */
interface OkTest {
  /** Undefined: any 2xx but 202. */
  readonly statuses?: readonly number[] | undefined
  readonly at?: PathText | undefined
  readonly is?: JsonValue | undefined
  /** Nothing stands at `at`. */
  readonly absent?: boolean | undefined
}

export type ListOperation = Operation &
  Pick<Read<'list'>, 'items' | 'up' | 'keep'> & {
    readonly all?: boolean | undefined
    readonly empty?: null | 204 | undefined
    readonly paging: PagingDocument
  }

/** `lag`: the age of the index, or unknown. */
export type FindOperation = ListOperation & Pick<ReadVerbs['find'][string], 'gives' | 'lag'>

export type BatchKind = (typeof BATCH_KINDS)[number]

type ReadBatch = NonNullable<ReadObject['batch']['create']>

export type BatchOperation = Operation &
  Pick<ReadBatch, 'by' | 'results' | 'errors' | 'match' | 'empty' | 'paging'> & {
    readonly size: number
    readonly item: JsonValue
  }

type ReadField = ReadObject['fields'][string]

export type ValueType = NonNullable<ReadField['type']>

export type WireForm = NonNullable<ReadField['as']>

export type FieldDocument = Omit<ReadField, 'type' | 'ref' | 'clear' | 'described'> & {
  readonly type: ValueType
  readonly ref: Resource | undefined
  /** The object whose ids it has, where the connector says it. */
  readonly to?: Resource | undefined
  /** It is a list, also where it has no values. */
  readonly many?: true | undefined
  readonly clear: Clear | 'object'
}

/** The values by which a field is cleared; `omit` leaves the member out. */
export type Clear = ReadObject['record']['clear']
