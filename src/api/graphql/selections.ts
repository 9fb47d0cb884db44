import { isLeaf, isList, isRequired, namedType, type Schema, type SchemaField, typeText } from './schema.ts'

/** A field with the argument `id` and no other required argument. */
export function fieldById({ queries }: Schema, name: string): { field: SchemaField; idType: string } | undefined {
  const field = queries.find((each) => each.name === name)
  const id = field?.args.find((argument) => argument.name === 'id')
  if (!field || !id || field.args.some((argument) => argument !== id && isRequired(argument))) return undefined
  return { field, idType: typeText(id.type).replace(/!?$/, '!') }
}

export interface ListText {
  readonly text: string
  /** Declarations, each after a comma. */
  readonly variables: string
  readonly shape: 'nodes' | 'edges' | 'list'
  readonly isPaged: boolean
}

export function listTextOf(
  schema: Schema,
  field: SchemaField,
  select: (nodes: SchemaField) => string = (nodes) => selectionOf(schema, nodes),
): ListText | undefined {
  const own = field.args.filter(({ name }) => name === 'first' || name === 'after')
  if (field.args.some((argument) => isRequired(argument) && !own.includes(argument))) return undefined
  if (isList(field.type)) {
    return { text: `${field.name} { ${select(field)} }`, variables: '', shape: 'list', isPaged: false }
  }
  const members = schema.fieldsOf(namedType(field.type).name)
  const nodes = members.find(({ name }) => name === 'nodes')
  const edges = members.find(({ name }) => name === 'edges')
  const node = edges && schema.fieldsOf(namedType(edges.type).name).find(({ name }) => name === 'node')
  if (!members.some(({ name }) => name === 'pageInfo') || !(nodes ?? node)) return undefined
  const selected = nodes ? `nodes { ${select(nodes)} }` : `edges { node { ${node ? select(node) : ''} } }`
  const given = own.map(({ name }) => `${name}: $${name}`).join(', ')
  return {
    text: `${field.name}${given && `(${given})`} { ${selected} pageInfo { hasNextPage endCursor } }`,
    variables: own.map(({ name, type }) => `, $${name}: ${typeText(type)}`).join(''),
    shape: nodes ? 'nodes' : 'edges',
    isPaged: own.some(({ name }) => name === 'after'),
  }
}

/** `json` if the type has it, which is the whole record; else all scalars, and those of objects in lists. */
export function selectionOf(schema: Schema, { type }: SchemaField): string {
  const free = schema.fieldsOf(namedType(type).name).filter(({ args }) => !args.some(isRequired))
  const whole = free.find((field) => field.name === 'json' && isLeaf(field.type))
  if (whole) return whole.name
  return free.flatMap((field) => partOf(schema, field)).join(' ') || '__typename'
}

function partOf(schema: Schema, { name, type }: SchemaField): readonly string[] {
  if (isLeaf(type)) return [name]
  if (!isList(type)) return []
  const inner = schema
    .fieldsOf(namedType(type).name)
    .filter((field) => isLeaf(field.type) && !field.args.some(isRequired))
  return inner.length === 0 ? [] : [`${name} { ${inner.map((field) => field.name).join(' ')} }`]
}
