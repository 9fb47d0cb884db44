import { Buffer } from 'node:buffer'
import type {
  ConnectorDocument,
  FieldDocument,
  Operation,
  ResourceDocument,
  SchemaDocument,
} from '../connector/document.ts'
import { systemHeads } from '../connector/own-names.ts'
import { compilePath, readAll, readFirst } from '../connector/paths.ts'
import { pluralOf, singularOf } from '../connector/singular.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Fields, ResourceDefinition } from '../core/resources/field.ts'
import { DESCRIBED_TYPES, type DescribedField, type DescribedObjects } from '../core/resources/own-objects.ts'
import {
  filtersOf,
  OBJECTS_PATH,
  READ_ONLY_FIELDS,
  RESOURCES,
  type Resource,
  resourceNamed,
  writableFields,
} from '../core/resources/registry.ts'
import type { Api } from './api.ts'
import { objectsOfCsdl } from './csdl.ts'
import type { RawApi } from './raw.ts'
import { parseJson } from './transport/answer.ts'
import { replaceHeaders } from './transport/headers.ts'

/** The objects that only this server has, by its connector and by itself. */
export async function objectsOfServer({
  raw,
  connector,
  knows,
}: Pick<Api, 'raw' | 'connector' | 'knows'>): Promise<DescribedObjects> {
  const { described } = connector.document
  const ofConnector = Object.entries(described ?? {}).map(([plural, { object }]) => [plural, object] as const)
  const ofUsers = knows('objects') ? await readOwnObjects(raw) : {}
  const listed = await readListedObjects(raw, connector.document)
  return { ...listed, ...Object.fromEntries(ofConnector), ...ofUsers }
}

/** The objects of a server that its users described; the answer of `GET /v1/objects` of `crm serve`. */
async function readOwnObjects(raw: RawApi): Promise<DescribedObjects> {
  const json = parseJson(await readText(raw, OBJECTS_PATH, []))
  const listed = isJsonObject(json) && Array.isArray(json.data) ? json.data.filter(isJsonObject) : []
  return Object.fromEntries(
    listed.flatMap(({ own, name, one, about, fields }) =>
      own === true ? [[String(name), { one: String(one), about: String(about), fields: fieldsOf(fields) }]] : [],
    ),
  )
}

async function readText(raw: RawApi, path: string, headers: readonly string[]): Promise<string> {
  const request = { method: 'GET', path, headers, bytes: undefined, idempotencyKey: undefined } as const
  const { reply, error } = await raw.send(request)
  if (error || !reply) throw error ?? new Error('no answer')
  return Buffer.from(reply.body).toString()
}

function fieldsOf(fields: unknown): Readonly<Record<string, DescribedField>> {
  const all = Array.isArray(fields) ? (fields as readonly JsonObject[]).filter(isJsonObject) : []
  const own = all.filter(({ name, read_only: isReadOnly }) => name !== 'id' && isReadOnly !== true)
  return Object.fromEntries(
    own.map(({ name, to, options, ...field }) => [
      String(name),
      { ...field, to: to ?? undefined, options: options ?? undefined } as DescribedField,
    ]),
  )
}

/**
 * With those of its own objects that were defined, and with what is said of contacts for each object that users described.
 * `had`: what the server was found to have; undefined: any.
 */
export function withOwnObjects(document: ConnectorDocument, had: DescribedObjects | undefined): ConnectorDocument {
  const own = Object.entries<ResourceDefinition>(RESOURCES).filter(
    ([, { isOwn, plural }]) => isOwn && (!had || Object.hasOwn(had, plural)),
  )
  const { described = {}, listed, schema } = document
  const defined = own.flatMap(([name, { plural, server, fields }]) => {
    if (listed && server) return [[name, listedResource(listed, server, fieldsFor(fields, schema))] as const]
    const its = Object.hasOwn(described, plural) ? described[plural] : undefined
    return its ? [[name, its.document] as const] : []
  })
  const { resources } = document
  return withDescribed({ ...document, resources: { ...resources, ...Object.fromEntries(defined) } }, own)
}

type Own = readonly (readonly [name: string, definition: ResourceDefinition])[]

/** The requests of an object that users described differ from those of contacts in the path alone. */
function withDescribed(document: ConnectorDocument, own: Own): ConnectorDocument {
  const model = document.resources.contact
  if (!model || !document.offers?.includes('objects')) return document
  const resources = own.map(([name, { path }]) => [name, ownResource(name as Resource, path, model)] as const)
  return { ...document, resources: { ...Object.fromEntries(resources), ...document.resources } }
}

/** What is said of all objects that the server lists, for one of them. */
function listedResource(
  listed: ResourceDocument,
  { type, id }: NonNullable<ResourceDefinition['server']>,
  fields: ResourceDocument['fields'],
): ResourceDocument {
  const own = filledIn(listed, { type })
  // Of these a field shows a part, under their name.
  const whole = Object.keys(fields).filter((name) => fields[name]?.read[0] !== name)
  return {
    ...own,
    id: { ...own.id, at: id ?? own.id.at },
    hidden: [...own.hidden, ...whole],
    fields: { ...fields, ...own.fields },
  }
}

function filledIn<T>(said: T, values: Readonly<Record<string, string>>): T {
  return JSON.parse(
    Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, () => JSON.stringify(value).slice(1, -1)),
      JSON.stringify(said),
    ),
  )
}

/** What the connector says of the types of fields, for those of one object. */
function fieldsFor(fields: Fields, schema: SchemaDocument | undefined): ResourceDocument['fields'] {
  const types = schema?.fields?.types ?? {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { server, isReadOnly, isRequired = false }]) => {
      const said = server && Object.hasOwn(types, server.type) ? types[server.type] : undefined
      if (!said || !server) return []
      const field = { ...filledIn(said, { name, to: server.to ?? '' }), required: isRequired }
      // A reference is an id here, whatever the id is there.
      const reference = server.to !== undefined && field.type === 'integer' && ({ type: 'id', as: 'integer' } as const)
      return [[name, { ...field, ...reference, ...(isReadOnly && { write: [] }) }]]
    }),
  )
}

/** Names of objects here; those there, which are parts of paths, and with _ before them are objects of the server itself. */
const NOUN = /^[a-z][a-z0-9_]*$/
const TYPE = /^[A-Za-z0-9][\w.~-]*$/
const MEMBER = /^[A-Za-z_]\w*$/

/** What `schema` of the connector reads. CrmError `not_supported` for an answer in another format. */
async function readSchema(raw: RawApi, { path, as }: SchemaDocument): Promise<JsonValue> {
  const isCsdl = as === 'csdl'
  // A connector can ask for one of the two alone.
  const accept = ['Accept', 'application/json, application/xml;q=0.9']
  const text = await readText(raw, path, isCsdl ? replaceHeaders(accept, raw.headers([])) : [])
  const json = parseJson(text)
  if (json !== undefined) return isCsdl && isJsonObject(json) ? objectsOfCsdl(json) : json
  const isXml = isCsdl && /^\ufeff?\s*</.test(text)
  const csdl = isXml ? (await import('./csdl-xml.ts')).csdlOfXml(text) : 'its answer is not JSON'
  if (typeof csdl !== 'string') return objectsOfCsdl(csdl)
  throw new CrmError('not_supported', `the server does not list its objects at ${path}: ${csdl}`, {
    hint: 'crm help connector-format: a file of your own names them',
  })
}

/** The objects that `schema` of the connector lists. */
export async function readListedObjects(raw: RawApi, document: ConnectorDocument): Promise<DescribedObjects> {
  const { schema, listed } = document
  if (!schema || !listed) return {}
  const json = await readSchema(raw, schema)
  const { only } = schema
  const ofConnector = nounsByPath(document)
  const found = readAll(compilePath(schema.items), json).flatMap((item) => {
    const type = textAt(schema.type, item)
    if (type === undefined || !TYPE.test(type)) return []
    if (only && readFirst(compilePath(only.at), item) !== only.is) return []
    const its = ofConnector.get(filledIn(listed.list?.path ?? '', { type }))
    const [noun, singular] = nounsIn(item, type, schema)
    // Another object of the connector, or commands of crm that take no other, may have its name.
    const plural = its ?? (isSaid(noun, document) ? `${singular}_records` : noun)
    return NOUN.test(plural) ? [{ item, type, plural, singular, isListed: its === undefined }] : []
  })
  const nouns = new Map(found.map(({ type, plural }) => [type, plural]))
  const described = found.flatMap(({ item, type, plural, singular, isListed }) => {
    if (!isListed) return []
    const id = textAt(schema.id, item)
    const system = new Set<string | undefined>([...systemHeads(listed), ...READ_ONLY_FIELDS, id])
    const fields = schema.fields ? listedFields(item, schema.fields, nouns) : []
    const own = Object.fromEntries(fields.filter(([name]) => !system.has(name)))
    const one = plural === `${singular}_records` || singular === plural ? `${singular}_record` : singular
    return [[plural, { one, fields: own, server: { type, ...(id !== undefined && { id }) } }] as const]
  })
  return Object.fromEntries(described)
}

function nounsIn(item: JsonValue, type: string, { noun, one: at }: SchemaDocument): readonly [string, string] {
  const one = textAt(at, item)
  const plural = nounOf(textAt(noun, item) ?? (one === undefined ? type : pluralOf(one)))
  return [plural, nounOf(one ?? singularOf(plural))]
}

/** The objects of the connector itself, by the path of their list. */
function nounsByPath({ resources, described = {}, listed }: ConnectorDocument): ReadonlyMap<string, string> {
  if (!listed?.list?.path.includes('{type}')) return new Map()
  // Without those that the server had listed before.
  const definitions: Readonly<Record<string, ResourceDefinition>> = RESOURCES
  const own = Object.entries(resources).filter(([name]) => definitions[name]?.server === undefined)
  const all = [
    ...own.map(([name, said]) => [RESOURCES[name as Resource].plural, said] as const),
    ...Object.entries(described).map(([plural, own]) => [plural, own.document] as const),
  ]
  return new Map(all.flatMap(([plural, said]) => (said?.list ? [[said.list.path, plural] as const] : [])))
}

/** Whether the connector says what an object of crm is, or crm has commands for it that take no other. */
function isSaid(plural: string, { resources }: ConnectorDocument): boolean {
  const resource = resourceNamed(plural)
  const { isOwn, isOpen }: Partial<ResourceDefinition> = resource ? RESOURCES[resource] : {}
  return resource !== undefined && isOwn !== true && (isOpen !== true || resources[resource] !== undefined)
}

function textAt(at: string | undefined, item: JsonValue): string | undefined {
  return at === undefined ? undefined : idText(readFirst(compilePath(at), item)) || undefined
}

type ListedField = readonly [name: string, field: DescribedField]

function listedFields(
  item: JsonValue,
  { types, ...at }: NonNullable<SchemaDocument['fields']>,
  nouns: ReadonlyMap<string, string>,
): readonly ListedField[] {
  const there = readFirst(compilePath(at.at), item)
  const named = isJsonObject(there) ? Object.entries(there) : []
  const all = Array.isArray(there) ? there.map((field) => [textAt(at.name, field) ?? '', field] as const) : named
  return all.flatMap(([name, field]): readonly ListedField[] => {
    const type = textAt(at.type, field)
    const said = type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined
    const to = textAt(at.to, field)
    if (type === undefined || !said || ![name, to ?? name].every((each) => MEMBER.test(each))) return []
    const options = readAll(compilePath(at.options), field).flatMap((each) => idText(each) ?? [])
    const is = (path: string) => readFirst(compilePath(path), field) === true
    const kept = {
      type: to === undefined ? DESCRIBED_TYPES.find((each) => each === said.type) : undefined,
      to: to === undefined ? undefined : nouns.get(to),
      ...{ label: textAt(at.label, field), options: options.length > 0 ? options : undefined },
      ...{ required: is(at.required), unique: is(at.unique), read_only: is(at.read_only) },
      server: { type, to },
    }
    return [[name, kept]]
  })
}

/** `service_car` of `Service Car`, and of `ServiceCar`. */
function nounOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

function ownResource(resource: Resource, path: string, model: ResourceDocument): ResourceDocument {
  const at = <O extends Operation | undefined>(operation: O): O =>
    operation && { ...operation, path: operation.path.replace(RESOURCES.contact.path, () => path) }
  return {
    ...model,
    ...{ list: at(model.list), get: at(model.get), create: at(model.create) },
    ...{ update: at(model.update), delete: at(model.delete) },
    filters: Object.fromEntries(filtersOf(resource).map((name) => [name, { query: name }])),
    fields: Object.fromEntries(writableFields(resource).map(([name]) => [name, ownField(name, model)])),
  }
}

function ownField(name: string, { fields }: ResourceDocument): FieldDocument {
  const { name: model } = fields
  if (!model) throw new Error('the connector says nothing of the name of a contact')
  return { ...model, type: 'any', read: [name], write: [name] }
}
