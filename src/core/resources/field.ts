import type { JsonObject } from '../json.ts'

/** The type of a field: `reference` is the id of another record or of a user, `time` is RFC 3339. */
export type FieldType = 'id' | 'reference' | 'text' | 'texts' | 'number' | 'integer' | 'time'

export interface Field {
  readonly type: FieldType
  /** The description in schemas. */
  readonly about: string
  /** A new record must have it, and it is never null or empty. */
  readonly isRequired?: true
  /** Set by the server; a client that sends it changes nothing. */
  readonly isReadOnly?: true
  /** Of its column on a screen, in terminal cells. */
  readonly width?: readonly [least: number, most: number]
  /** Other names in column headers, in lower case, without blanks, hyphens and underscores. */
  readonly aliases?: readonly string[]
}

export type Fields = Readonly<Record<string, Field>>

/** What the API can do with a resource. */
export type Operation = 'list' | 'create' | 'update' | 'delete'

/** The one definition of a resource: types, validation, schemas and tables derive from it. */
export interface ResourceDefinition {
  readonly singular: string
  readonly plural: string
  /** The prefix of its ids on `crm serve`; undefined when its name is its id. */
  readonly idPrefix?: string
  /** Of its collection in the API, from `/v1` on. */
  readonly path: string
  /** The resource that its records belong to. `{id}` in `path` is the id of that record. */
  readonly parent?: 'deal' | 'pipeline'
  /** Those of the contract; GraphQL may have others. */
  readonly operations: readonly Operation[]
  /** For hints, where the command is not `crm <plural> <operation>`. */
  readonly commands?: Readonly<Partial<Record<Operation, string>>>
  /**
   * A record holds what clients send and no member depends on another record: the rules, routes, table, types, events and
   * documents of the service follow from this definition.
   */
  readonly isPlain?: true
  /** Rows of a file can be made records of it. */
  readonly isImportable?: true
  /** Servers that keep its records unique do so by this member, unless they name another. */
  readonly uniqueBy?: string
  /** For hints: the member that tells its records apart, and an expression that selects some. */
  readonly hints?: { readonly match: string; readonly where: string }
  /** Of a plain resource, for documents: what its records are. */
  readonly about?: string
  /** A new one, for documents and for events that are made up. */
  readonly example?: JsonObject
  /** In the order in which tables show them. */
  readonly fields: Fields
}

/** Every record begins with it. */
export const ID = {
  id: {
    type: 'id',
    about: 'Id, which the server gives',
    isReadOnly: true,
    width: [16, 17],
  },
} as const satisfies Fields

/** Set by the server on every record. */
export const KEPT_BY_SERVER = {
  created_at: { type: 'time', about: 'When it was made', isReadOnly: true, width: [10, 20] },
  updated_at: { type: 'time', about: 'When it was last changed', isReadOnly: true },
  version: { type: 'integer', about: 'Grows with each change', isReadOnly: true },
} as const satisfies Fields
