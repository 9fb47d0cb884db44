import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Shallow on purpose: servers limit the depth of queries, and no type used here is wrapped more often. */
const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }'

export const INTROSPECTION = `query Introspection { __schema { queryType { name } mutationType { name } types { kind name
  fields { name args { name type { ${TYPE} } } type { ${TYPE} } }
  inputFields { name type { ${TYPE} } } } } }`

interface TypeRef {
  readonly kind: string
  readonly name: string | undefined
  readonly ofType: TypeRef | undefined
}

export interface SchemaField {
  readonly name: string
  readonly args: readonly Argument[]
  readonly type: TypeRef
}

export type Argument = Omit<SchemaField, 'args'>

export interface Schema {
  readonly queries: readonly SchemaField[]
  readonly mutations: readonly SchemaField[]
  fieldsOf(typeName: string | undefined): readonly SchemaField[]
  inputsOf(typeName: string | undefined): readonly Argument[]
}

/** Undefined if the data contains no schema; invalid members are ignored. */
export function readSchema(data: JsonValue | undefined): Schema | undefined {
  const schema = memberOf(data, '__schema')
  const types = new Map(objectsIn(memberOf(schema, 'types')).map((type) => [String(type.name), type]))
  const queryName = memberOf(memberOf(schema, 'queryType'), 'name')
  if (types.size === 0 || typeof queryName !== 'string') return undefined
  const fieldsOf = (name: unknown): readonly SchemaField[] => objectsIn(types.get(String(name))?.fields).map(readField)
  return {
    queries: fieldsOf(queryName),
    mutations: fieldsOf(memberOf(memberOf(schema, 'mutationType'), 'name')),
    fieldsOf,
    inputsOf: (name) => objectsIn(types.get(String(name))?.inputFields).map(readField),
  }
}

/** The type without list and non-null wrappers. */
export function namedType(type: TypeRef): TypeRef {
  return type.ofType ? namedType(type.ofType) : type
}

export function isRequired({ type }: Argument): boolean {
  return type.kind === 'NON_NULL'
}

export function isList({ kind, ofType }: TypeRef): boolean {
  return kind === 'LIST' || (kind === 'NON_NULL' && ofType?.kind === 'LIST')
}

export function isLeaf(type: TypeRef): boolean {
  const { kind } = namedType(type)
  return kind === 'SCALAR' || kind === 'ENUM'
}

/** In the notation of variables: `[ID!]!`. */
export function typeText({ kind, name, ofType }: TypeRef): string {
  if (kind === 'NON_NULL') return `${ofType ? typeText(ofType) : ''}!`
  if (kind === 'LIST') return `[${ofType ? typeText(ofType) : ''}]`
  return name ?? ''
}

function readField(field: JsonObject): SchemaField {
  return { name: String(field.name), args: objectsIn(field.args).map(readField), type: readType(field.type) }
}

function readType(value: JsonValue | undefined): TypeRef {
  const type = isJsonObject(value) ? value : {}
  return {
    kind: String(type.kind),
    name: typeof type.name === 'string' ? type.name : undefined,
    ofType: isJsonObject(type.ofType) ? readType(type.ofType) : undefined,
  }
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
