import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { LISTED_RESOURCES, type ListedResource } from '../../core/resources/registry.ts'

/** Shallow on purpose: servers limit the depth of queries, and no type used here is wrapped more often. */
const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }'

export const INTROSPECTION = `query Introspection { __schema { queryType { name } mutationType { name } types { kind name
  fields { name args { name type { ${TYPE} } } type { ${TYPE} } }
  inputFields { name type { ${TYPE} } } } } }`

/** A record by its id. Offers are plain data, because they are cached in a file. */
export interface ReadOffer {
  readonly query: string
  readonly field: string
}

/** A list: a Relay connection, or a plain list. */
export interface ListOffer {
  readonly query: string
  /** The members that lead to it. */
  readonly place: readonly string[]
  readonly shape: 'nodes' | 'edges' | 'list'
  readonly isPaged: boolean
}

export interface UpdateOffer {
  readonly query: string
  readonly field: string
  /** The member of the payload that contains the record. */
  readonly member: string
  /** The members of the input type. */
  readonly members: readonly string[]
}

/** What the GraphQL schema of a server supports; absent members are not supported. */
export interface GraphqlOffers extends Readonly<Partial<Record<ListedResource, ReadOffer>>> {
  readonly notes?: ListOffer
  readonly pipelines?: ListOffer
  readonly webhooks?: ListOffer
  readonly updateDeal?: UpdateOffer
}

export type OfferName = keyof GraphqlOffers

/** Makes queries from a schema by conventional names and those of Relay, without guessing others. */
export function readOffers(schema: Schema): GraphqlOffers {
  return {
    ...Object.assign({}, ...LISTED_RESOURCES.map((resource) => named(resource, readOffer(schema, resource)))),
    ...named('notes', notesOffer(schema)),
    ...named('pipelines', listOffer(schema, 'pipelines')),
    ...named('webhooks', listOffer(schema, 'webhooks')),
    ...named('updateDeal', updateOffer(schema)),
  }
}

function named<Name extends OfferName>(
  name: Name,
  offer: GraphqlOffers[Name] | undefined,
): Pick<GraphqlOffers, Name> | object {
  return offer === undefined ? {} : { [name]: offer }
}

function readOffer(schema: Schema, name: string): ReadOffer | undefined {
  const found = fieldById(schema, name)
  if (!found) return undefined
  const { field, idType } = found
  const query = `query ($id: ${idType}) { ${name}(id: $id) { ${selectionOf(schema, field)} } }`
  return { query, field: name }
}

/** A field with the argument `id` and no other required argument. */
function fieldById({ queries }: Schema, name: string): { field: Field; idType: string } | undefined {
  const field = queries.find((each) => each.name === name)
  const id = field?.args.find((argument) => argument.name === 'id')
  if (!field || !id || field.args.some((argument) => argument !== id && isRequired(argument))) return undefined
  return { field, idType: typeText(id.type).replace(/!?$/, '!') }
}

function notesOffer(schema: Schema): ListOffer | undefined {
  const found = fieldById(schema, 'deal')
  const notes = found && schema.fieldsOf(namedType(found.field.type).name).find(({ name }) => name === 'notes')
  const list = notes && listOf(schema, notes)
  if (!found || !list) return undefined
  return {
    query: `query ($id: ${found.idType}${list.variables}) { deal(id: $id) { ${list.text} } }`,
    place: ['deal', 'notes'],
    shape: list.shape,
    isPaged: list.isPaged,
  }
}

function listOffer(schema: Schema, name: string): ListOffer | undefined {
  const field = schema.queries.find((each) => each.name === name)
  const list = field && listOf(schema, field)
  if (!list) return undefined
  const { shape, isPaged, variables } = list
  const declared = variables === '' ? '' : ` (${variables.slice(2)})`
  return { query: `query${declared} { ${list.text} }`, place: [name], shape, isPaged }
}

interface ListText {
  readonly text: string
  /** Declarations, each after a comma. */
  readonly variables: string
  readonly shape: ListOffer['shape']
  readonly isPaged: boolean
}

function listOf(schema: Schema, field: Field): ListText | undefined {
  const own = field.args.filter(({ name }) => name === 'first' || name === 'after')
  if (field.args.some((argument) => isRequired(argument) && !own.includes(argument))) return undefined
  if (isList(field.type)) {
    return { text: `${field.name} { ${selectionOf(schema, field)} }`, variables: '', shape: 'list', isPaged: false }
  }
  const members = schema.fieldsOf(namedType(field.type).name)
  const nodes = members.find(({ name }) => name === 'nodes')
  const edges = members.find(({ name }) => name === 'edges')
  const node = edges && schema.fieldsOf(namedType(edges.type).name).find(({ name }) => name === 'node')
  if (!members.some(({ name }) => name === 'pageInfo') || !(nodes ?? node)) return undefined
  const selected = nodes
    ? `nodes { ${selectionOf(schema, nodes)} }`
    : `edges { node { ${node ? selectionOf(schema, node) : ''} } }`
  const given = own.map(({ name }) => `${name}: $${name}`).join(', ')
  return {
    text: `${field.name}${given && `(${given})`} { ${selected} pageInfo { hasNextPage endCursor } }`,
    variables: own.map(({ name, type }) => `, $${name}: ${typeText(type)}`).join(''),
    shape: nodes ? 'nodes' : 'edges',
    isPaged: own.some(({ name }) => name === 'after'),
  }
}

function updateOffer(schema: Schema): UpdateOffer | undefined {
  const field = schema.mutations.find(({ name }) => name === 'updateDeal')
  const input = field?.args.find(({ name }) => name === 'input')
  if (!field || !input || field.args.some((argument) => argument !== input && isRequired(argument))) return undefined
  const members = schema.inputsOf(namedType(input.type).name).map(({ name }) => name)
  const payload = schema.fieldsOf(namedType(field.type).name).find(({ name }) => name === 'deal')
  if (!payload || !members.includes('id')) return undefined
  const query = `mutation ($input: ${typeText(input.type)}) { updateDeal(input: $input) { deal { ${selectionOf(schema, payload)} } } }`
  return { query, field: 'updateDeal', member: 'deal', members }
}

/** `json` if the type has it, which is the whole record; else all scalars, and those of objects in lists. */
function selectionOf(schema: Schema, { type }: Field): string {
  const free = schema.fieldsOf(namedType(type).name).filter(({ args }) => !args.some(isRequired))
  const whole = free.find((field) => field.name === 'json' && isLeaf(field.type))
  if (whole) return whole.name
  return free.flatMap((field) => partOf(schema, field)).join(' ') || '__typename'
}

function partOf(schema: Schema, { name, type }: Field): readonly string[] {
  if (isLeaf(type)) return [name]
  if (!isList(type)) return []
  const inner = schema
    .fieldsOf(namedType(type).name)
    .filter((field) => isLeaf(field.type) && !field.args.some(isRequired))
  return inner.length === 0 ? [] : [`${name} { ${inner.map((field) => field.name).join(' ')} }`]
}

interface TypeRef {
  readonly kind: string
  readonly name: string | undefined
  readonly ofType: TypeRef | undefined
}

interface Field {
  readonly name: string
  readonly args: readonly Argument[]
  readonly type: TypeRef
}

type Argument = Omit<Field, 'args'>

interface Schema {
  readonly queries: readonly Field[]
  readonly mutations: readonly Field[]
  fieldsOf(typeName: string | undefined): readonly Field[]
  inputsOf(typeName: string | undefined): readonly Argument[]
}

/** Undefined if the data contains no schema; invalid members are ignored. */
export function readSchema(data: JsonValue | undefined): Schema | undefined {
  const schema = memberOf(data, '__schema')
  const types = new Map(objectsIn(memberOf(schema, 'types')).map((type) => [String(type.name), type]))
  const queryName = memberOf(memberOf(schema, 'queryType'), 'name')
  if (types.size === 0 || typeof queryName !== 'string') return undefined
  const fieldsOf = (name: unknown): readonly Field[] => objectsIn(types.get(String(name))?.fields).map(readField)
  return {
    queries: fieldsOf(queryName),
    mutations: fieldsOf(memberOf(memberOf(schema, 'mutationType'), 'name')),
    fieldsOf,
    inputsOf: (name) => objectsIn(types.get(String(name))?.inputFields).map(readField),
  }
}

/** The type without list and non-null wrappers. */
function namedType(type: TypeRef): TypeRef {
  return type.ofType ? namedType(type.ofType) : type
}

function isRequired({ type }: Argument): boolean {
  return type.kind === 'NON_NULL'
}

function isList({ kind, ofType }: TypeRef): boolean {
  return kind === 'LIST' || (kind === 'NON_NULL' && ofType?.kind === 'LIST')
}

function isLeaf(type: TypeRef): boolean {
  const { kind } = namedType(type)
  return kind === 'SCALAR' || kind === 'ENUM'
}

/** In the notation of variables: `[ID!]!`. */
function typeText({ kind, name, ofType }: TypeRef): string {
  if (kind === 'NON_NULL') return `${ofType ? typeText(ofType) : ''}!`
  if (kind === 'LIST') return `[${ofType ? typeText(ofType) : ''}]`
  return name ?? ''
}

function readField(field: JsonObject): Field {
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
