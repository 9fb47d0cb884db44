import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'unknown'

/** What a schema says of a value: references and combinations are resolved on one level, those of its members on demand. */
export interface SchemaView {
  readonly type: SchemaType
  readonly members: ReadonlyMap<string, JsonValue>
  readonly required: ReadonlySet<string>
  readonly items: JsonValue | undefined
  /** The schema allows members that it does not name, explicitly. */
  readonly isOpen: boolean
  readonly isReadOnly: boolean
  readonly isNullable: boolean
  readonly format: string | undefined
  readonly values: readonly JsonValue[]
  readonly maxLength: number | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly default: JsonValue | undefined
  readonly example: JsonValue | undefined
  readonly description: string
}

const MAX_PARTS = 200
const MAX_DEPTH = 20
const MAX_EXAMPLE_DEPTH = 8

/** The schemas of one document, with references within it; schemas may contain themselves. */
export class Schemas {
  readonly #document: JsonObject
  readonly #views = new WeakMap<JsonObject, SchemaView>()

  constructor(document: JsonObject) {
    this.#document = document
  }

  /** The value itself, or what its `$ref` names; undefined for a reference to nothing. */
  resolved(value: JsonValue | undefined): JsonObject | undefined {
    let current = value
    for (let step = 0; step < MAX_DEPTH && isJsonObject(current); step += 1) {
      const { $ref: reference } = current
      if (typeof reference !== 'string') return current
      current = pointedAt(this.#document, decodedPointer(reference))
    }
    return undefined
  }

  view(schema: JsonValue | undefined): SchemaView {
    if (!isJsonObject(schema)) return EMPTY
    const known = this.#views.get(schema)
    if (known) return known
    const parts: JsonObject[] = []
    const alternatives: JsonObject[] = []
    this.#collect(schema, { parts, alternatives, seen: new Set() }, 0)
    const view = viewOf(parts, alternatives)
    this.#views.set(schema, view)
    return view
  }

  /** The view of a member; undefined if the schema does not name it. */
  member({ members }: SchemaView, name: string): SchemaView | undefined {
    const schema = members.get(name)
    return schema === undefined ? undefined : this.view(schema)
  }

  #collect(
    schema: JsonValue | undefined,
    found: { readonly parts: JsonObject[]; readonly alternatives: JsonObject[]; readonly seen: Set<unknown> },
    depth: number,
  ): void {
    if (!isJsonObject(schema) || found.seen.has(schema) || depth > MAX_DEPTH) return
    if (found.parts.length + found.alternatives.length > MAX_PARTS) return
    found.seen.add(schema)
    found.parts.push(schema)
    if (typeof schema.$ref === 'string')
      this.#collect(pointedAt(this.#document, decodedPointer(schema.$ref)), found, depth + 1)
    for (const part of listOf(schema.allOf)) this.#collect(part, found, depth + 1)
    for (const part of [...listOf(schema.oneOf), ...listOf(schema.anyOf)]) {
      this.#collect(part, { ...found, parts: found.alternatives }, depth + 1)
    }
  }
}

const EMPTY: SchemaView = viewOf([], [])

function viewOf(parts: readonly JsonObject[], alternatives: readonly JsonObject[]): SchemaView {
  const all = [...parts, ...alternatives]
  const members = new Map<string, JsonValue>()
  for (const { properties } of all) {
    if (!isJsonObject(properties)) continue
    for (const [name, schema] of Object.entries(properties)) {
      const before = members.get(name)
      members.set(name, before === undefined ? schema : { allOf: [before, schema] })
    }
  }
  const items = all.find((part) => part.items !== undefined)?.items
  const first = (name: string) => all.find((part) => part[name] !== undefined)?.[name]
  const number = (name: string) => all.map((part) => part[name]).find((value) => typeof value === 'number')
  const { format } = { format: first('format') }
  return {
    type: typeOf(all, members.size > 0, items !== undefined),
    members,
    required: new Set(parts.flatMap(({ required }) => listOf(required).filter((name) => typeof name === 'string'))),
    items,
    isOpen: all.some(({ additionalProperties: more }) => more === true || isJsonObject(more)),
    isNullable: all.some(({ type, nullable }) => nullable === true || listOf(type).includes('null') || type === 'null'),
    isReadOnly: parts.some(({ readOnly }) => readOnly === true),
    format: typeof format === 'string' ? format : undefined,
    values: all.flatMap((part) => [...listOf(part.enum), ...(part.const === undefined ? [] : [part.const])]),
    maxLength: number('maxLength'),
    minimum: number('minimum'),
    maximum: number('maximum'),
    default: first('default'),
    example: first('example') ?? listOf(first('examples'))[0],
    description: all.map(({ description }) => description).find((text) => typeof text === 'string') ?? '',
  }
}

/** The members of both. */
export function mergedView(one: SchemaView, other: SchemaView | undefined): SchemaView {
  if (!other || one === other) return one
  const members = new Map(one.members)
  for (const [name, schema] of other.members) {
    const before = members.get(name)
    members.set(name, before === undefined || before === schema ? schema : { allOf: [before, schema] })
  }
  return { ...one, members, isOpen: one.isOpen || other.isOpen }
}

const TYPES: readonly SchemaType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean']

function typeOf(parts: readonly JsonObject[], hasMembers: boolean, hasItems: boolean): SchemaType {
  const named = parts.flatMap(({ type }) => (Array.isArray(type) ? type : [type]))
  const known = named.flatMap((name) => TYPES.find((type) => type === name) ?? [])
  if (hasMembers && known.includes('object')) return 'object'
  const [first] = known
  if (first) return first
  if (hasMembers) return 'object'
  if (hasItems) return 'array'
  const isText = parts.some(({ enum: values }) => listOf(values).some((value) => typeof value === 'string'))
  return isText ? 'string' : 'unknown'
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** `#/components/schemas/A%20b` is percent-encoded, as a fragment of a URL. */
function decodedPointer(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch {
    // A lone percent sign: the text stands for itself.
    return reference
  }
}

/** A schema with the members and types of an example. */
export function schemaOfExample(example: JsonValue, depth = 0): JsonObject {
  if (example === null || depth > MAX_EXAMPLE_DEPTH) return {}
  if (Array.isArray(example)) {
    return { type: 'array', ...(example[0] !== undefined && { items: schemaOfExample(example[0], depth + 1) }) }
  }
  if (isJsonObject(example)) {
    const members = Object.entries(example).map(([name, value]) => [name, schemaOfExample(value, depth + 1)])
    return { type: 'object', properties: Object.fromEntries(members) }
  }
  if (typeof example === 'number') return { type: Number.isInteger(example) ? 'integer' : 'number', example }
  return { type: typeof example === 'boolean' ? 'boolean' : 'string', example }
}

/** Within the document alone (RFC 6901, as a fragment). */
function pointedAt(document: JsonObject, pointer: string): JsonValue | undefined {
  if (!pointer.startsWith('#/')) return undefined
  const names = pointer.slice(2).split('/')
  return valueAt(
    document,
    names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}
