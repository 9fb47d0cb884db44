import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'unknown'

type Facts = ReturnType<typeof factsOf>

/** What a schema says of a value: references and combinations are resolved on one level, those of its members on demand. */
export interface SchemaView extends Facts {
  /** Undefined if the schema does not name it. */
  member(name: string): SchemaView | undefined
  /** Of the elements of a list. */
  readonly element: SchemaView
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
      current = this.#pointedAt(reference)
    }
    return undefined
  }

  view(schema: JsonValue | undefined): SchemaView {
    const parts: JsonObject[] = []
    const alternatives: JsonObject[] = []
    if (!isJsonObject(schema)) return this.#open(factsOf(parts, alternatives))
    const known = this.#views.get(schema)
    if (known) return known
    this.#collect(schema, { parts, alternatives, seen: new Set() }, 0)
    const view = this.#open(factsOf(parts, alternatives))
    this.#views.set(schema, view)
    return view
  }

  /** The members of both. */
  merged(one: SchemaView, other: SchemaView | undefined): SchemaView {
    if (!other || one === other) return one
    const members = new Map(one.members)
    addMembers(members, other.members)
    return this.#open({ ...one, members, isOpen: one.isOpen || other.isOpen })
  }

  #open(facts: Facts): SchemaView {
    const element = () => this.view(facts.items)
    return {
      ...facts,
      member: (name) => (facts.members.has(name) ? this.view(facts.members.get(name)) : undefined),
      get element() {
        return element()
      },
    }
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
    if (typeof schema.$ref === 'string') this.#collect(this.#pointedAt(schema.$ref), found, depth + 1)
    for (const part of listOf(schema.allOf)) this.#collect(part, found, depth + 1)
    for (const part of [...listOf(schema.oneOf), ...listOf(schema.anyOf)]) {
      this.#collect(part, { ...found, parts: found.alternatives }, depth + 1)
    }
  }

  /** Within the document alone (RFC 6901, as a percent-encoded fragment of a URL). */
  #pointedAt(reference: string): JsonValue | undefined {
    if (!reference.startsWith('#/')) return undefined
    const decoded = reference.replace(/(?:%[\da-f]{2})+/gi, (text) =>
      Buffer.from(text.replaceAll('%', ''), 'hex').toString(),
    )
    const names = decoded.slice(2).split('/')
    return valueAt(
      this.#document,
      names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
    )
  }
}

function factsOf(parts: readonly JsonObject[], alternatives: readonly JsonObject[]) {
  const all = [...parts, ...alternatives]
  const members = new Map<string, JsonValue>()
  for (const { properties } of all) if (isJsonObject(properties)) addMembers(members, Object.entries(properties))
  const first = (name: string) => all.find((part) => part[name] !== undefined)?.[name]
  const number = (name: string) => all.map((part) => part[name]).find((value) => typeof value === 'number')
  const text = (name: string) => all.map((part) => part[name]).find((value) => typeof value === 'string')
  const items = first('items')
  return {
    type: typeOf(all, members.size > 0, items !== undefined),
    members: members as ReadonlyMap<string, JsonValue>,
    required: new Set(parts.flatMap(({ required }) => listOf(required).filter((name) => typeof name === 'string'))),
    items,
    /** The schema allows members that it does not name, explicitly. */
    isOpen: all.some(({ additionalProperties: more }) => more === true || isJsonObject(more)),
    isNullable: all.some(({ type, nullable }) => nullable === true || listOf(type).includes('null') || type === 'null'),
    isReadOnly: parts.some(({ readOnly }) => readOnly === true),
    format: text('format'),
    values: all.flatMap((part) => [...listOf(part.enum), ...(part.const === undefined ? [] : [part.const])]),
    maxLength: number('maxLength'),
    minimum: number('minimum'),
    maximum: number('maximum'),
    default: first('default'),
    example: first('example') ?? listOf(first('examples'))[0],
    description: text('description') ?? '',
  }
}

function addMembers(members: Map<string, JsonValue>, more: Iterable<readonly [string, JsonValue]>): void {
  for (const [name, schema] of more) {
    const before = members.get(name)
    members.set(name, before === undefined || before === schema ? schema : { allOf: [before, schema] })
  }
}

export function isNumber({ type }: SchemaView): boolean {
  return type === 'integer' || type === 'number'
}

const TYPES: readonly SchemaType[] = ['object', 'array', 'string', 'number', 'integer', 'boolean']

function typeOf(parts: readonly JsonObject[], hasMembers: boolean, hasItems: boolean): SchemaType {
  const named = parts.flatMap(({ type }) => type ?? [])
  const known = named.flatMap((name) => TYPES.find((type) => type === name) ?? [])
  if (hasMembers && known.includes('object')) return 'object'
  const [first] = known
  if (first || hasMembers || hasItems) return first ?? (hasMembers ? 'object' : 'array')
  const isText = parts.some(({ enum: values }) => listOf(values).some((value) => typeof value === 'string'))
  return isText ? 'string' : 'unknown'
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
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
  const type = typeof example === 'number' && Number.isInteger(example) ? 'integer' : typeof example
  return type === 'boolean' ? { type } : { type, example }
}
