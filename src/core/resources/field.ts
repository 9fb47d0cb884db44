import { exactDigits, type JsonObject, type JsonValue } from '../json.ts'

/** The type of a field: `reference` is the id of another record or of a user, `date` is `2026-01-31`, `time` is RFC 3339. */
export type FieldType = 'id' | 'reference' | 'text' | 'texts' | 'number' | 'integer' | 'boolean' | 'date' | 'time'

export type NumericType = Extract<FieldType, 'number' | 'integer'>

/** For messages. */
export const NUMERIC_TYPES: Readonly<Record<NumericType, { readonly expected: string; readonly example: string }>> = {
  number: { expected: 'a number', example: '1200.5' },
  integer: { expected: 'a whole number', example: '1200' },
}

/** Whether a value is a number of this type, also one with more digits than a double holds. */
export function isOfNumericType(value: JsonValue, type: NumericType): boolean {
  const number = typeof value === 'number' ? value : Number(exactDigits(value) ?? Number.NaN)
  return type === 'integer' ? Number.isInteger(number) : Number.isFinite(number)
}

export interface Field {
  readonly type: FieldType
  /** The description in schemas. */
  readonly about: string
  /** A new record must have it; it is never null or empty. */
  readonly isRequired?: true
  /** Set by the server, which ignores it in a request. */
  readonly isReadOnly?: true
  /** For people; its name unless given. */
  readonly label?: string
  /** The values that it may have. */
  readonly options?: readonly string[]
  /** No two records have the same value. */
  readonly isUnique?: true
  /** Of a reference: the resource that the id is of. */
  readonly to?: string
  /** What the server that listed it calls its type, and the object that it refers to. */
  readonly server?: { readonly type: string; readonly to?: string | undefined }
  /** Column headers for which an import suggests this field; in lower case, without blanks, hyphens and underscores. */
  readonly headings?: readonly string[]
}

export type Fields = Readonly<Record<string, Field>>

/** The operations of the API on a resource. */
export type ApiOperation = 'list' | 'create' | 'update' | 'delete'

/** The operations of `crm serve`: `get` shows one record, `test` sends a test event to a subscription. */
export type ServiceOperation = ApiOperation | 'get' | 'test'

/** A resource: types, validation, schemas and tables derive from it. */
export interface ResourceDefinition {
  readonly singular: string
  readonly plural: string
  /** The prefix of its ids on `crm serve`; undefined when its name is its id. */
  readonly idPrefix?: string
  /** The path of its collection in the API, starting with `/v1`. */
  readonly path: string
  /** The resource that its records belong to. `{id}` in `path` is the id of that record. */
  readonly parent?: 'deal' | 'pipeline'
  /** The operations of the contract. */
  readonly operations: readonly ApiOperation[]
  /** The operations that `crm serve` has beyond the contract: its routes, rules, events and OpenAPI document follow. */
  readonly serviceOperations?: readonly ServiceOperation[]
  /**
   * The filters of its list on `crm serve`. Those of an open resource are fields, each with a column and an index, and
   * `created_since` and `created_until`; the first that a request has selects the index.
   */
  readonly filters?: readonly string[]
  /** The path of one record on `crm serve`; `path` and `/{id}` unless given. */
  readonly recordPath?: string
  /** For hints: the commands that are not `crm <plural> <operation>`. */
  readonly commands?: Readonly<Partial<Record<ApiOperation, string>>>
  /**
   * A record holds what clients send and no member depends on another record: the rules, routes, table, types, events and
   * documents of the service follow from this definition.
   */
  readonly isOpen?: true
  /** Described in a file of `crm serve --objects`, not by the program. */
  readonly isOwn?: true
  /** Where the connector says what is said of all its objects: what the server calls it in paths, and where its id is. */
  readonly server?: { readonly type: string; readonly id?: string | undefined }
  /** Rows of a file can be imported as its records. */
  readonly isImportable?: true
  /** The member by which servers keep its records unique, unless they name another. */
  readonly uniqueBy?: string
  /** By which members `duplicates` compares its records, as in `--by`; undefined: they are not of people. */
  readonly duplicatesBy?: string
  /** For hints: the member that identifies a record, and an expression that selects some. */
  readonly hints?: { readonly match: string; readonly where: string }
  /** For the documents of an open resource: what its records are. */
  readonly about?: string
  /** A new record, for documents and synthetic events. */
  readonly example?: JsonObject
  /** In the order in which tables show them. */
  readonly fields: Fields
}

/** The first field of every record. */
export const ID = {
  id: { type: 'id', about: 'Id, set by the server', isReadOnly: true },
} as const satisfies Fields

/** Set by the server on every record. */
export const KEPT_BY_SERVER = {
  created_at: { type: 'time', about: 'When it was created', isReadOnly: true },
  updated_at: { type: 'time', about: 'When it was last changed', isReadOnly: true },
  version: { type: 'integer', about: 'Grows with each change', isReadOnly: true },
} as const satisfies Fields
