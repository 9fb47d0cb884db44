import { Buffer } from 'node:buffer'
import type { ConnectorDocument, FieldDocument, Operation, ResourceDocument } from '../connector/document.ts'
import { compilePath, readAll, readFirst } from '../connector/paths.ts'
import { singularOf } from '../connector/singular.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { DescribedField, DescribedObjects } from '../core/resources/own-objects.ts'
import {
  filtersOf,
  OBJECTS_PATH,
  RESOURCES,
  type Resource,
  resourceNamed,
  writableFields,
} from '../core/resources/registry.ts'
import type { Api } from './api.ts'
import type { RawApi } from './raw.ts'
import { parseJson } from './transport/answer.ts'

/** The objects that only this server has, by its connector and by itself. */
export async function objectsOfServer({
  raw,
  connector,
  knows,
}: Pick<Api, 'raw' | 'connector' | 'knows'>): Promise<DescribedObjects> {
  const { described, schema } = connector.document
  const ofConnector = Object.entries(described ?? {}).map(([plural, { object }]) => [plural, object] as const)
  const ofUsers = knows('objects') ? await readOwnObjects(raw) : {}
  const listed = schema ? await readListedObjects(raw, schema) : {}
  return { ...listed, ...Object.fromEntries(ofConnector), ...ofUsers }
}

/** The objects of a server that its users described; the answer of `GET /v1/objects` of `crm serve`. */
async function readOwnObjects(raw: RawApi): Promise<DescribedObjects> {
  const json = await readJson(raw, OBJECTS_PATH)
  const listed = isJsonObject(json) && Array.isArray(json.data) ? json.data.filter(isJsonObject) : []
  return Object.fromEntries(
    listed.flatMap(({ own, name, one, about, fields }) =>
      own === true ? [[String(name), { one: String(one), about: String(about), fields: fieldsOf(fields) }]] : [],
    ),
  )
}

async function readJson(raw: RawApi, path: string): Promise<JsonValue | undefined> {
  const request = { method: 'GET', path, headers: [], bytes: undefined, idempotencyKey: undefined } as const
  const { reply, error } = await raw.send(request)
  if (error || !reply) throw error ?? new Error('no answer')
  return parseJson(Buffer.from(reply.body).toString())
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

/** With those of its own objects that were defined, and with what is said of contacts for each object that users described. */
export function withOwnObjects(document: ConnectorDocument): ConnectorDocument {
  const own = Object.entries<ResourceDefinition>(RESOURCES).filter(([, { isOwn }]) => isOwn)
  const { described = {}, listed } = document
  const defined = own.flatMap(([name, { plural, type }]) => {
    if (listed && type !== undefined) return [[name, listedResource(listed, type)] as const]
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

/** What is said of all objects that the server lists, for the one that it calls so. */
function listedResource(listed: ResourceDocument, type: string): ResourceDocument {
  return JSON.parse(JSON.stringify(listed).replaceAll('{type}', () => JSON.stringify(type).slice(1, -1)))
}

const NAME = /^[a-z][a-z0-9_]*$/

/** The objects that an account made for itself, as `schema` of its connector lists them. */
async function readListedObjects(
  raw: RawApi,
  schema: NonNullable<ConnectorDocument['schema']>,
): Promise<DescribedObjects> {
  const { path, items, type: typeAt, noun, one, only } = schema
  const listed = readAll(compilePath(items), (await readJson(raw, path)) ?? null)
  const textAt = (at: string | undefined, item: JsonValue) =>
    at === undefined ? undefined : idText(readFirst(compilePath(at), item))
  const described = listed.flatMap((item) => {
    const type = textAt(typeAt, item)
    if (type === undefined || (only && readFirst(compilePath(only.at), item) !== only.is)) return []
    const plural = nounOf(textAt(noun, item) ?? type)
    const singular = nounOf(textAt(one, item) ?? singularOf(plural))
    if (!NAME.test(plural) || isOfCrm(plural)) return []
    return [[plural, { one: singular === plural ? `${plural}_record` : singular, fields: {}, type }] as const]
  })
  return Object.fromEntries(described)
}

function isOfCrm(plural: string): boolean {
  const resource = resourceNamed(plural)
  const { isOwn }: Partial<ResourceDefinition> = resource ? RESOURCES[resource] : {}
  return resource !== undefined && isOwn !== true
}

/** `service_car` of `Service Car`. */
function nounOf(name: string): string {
  return name
    .normalize('NFKD')
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
