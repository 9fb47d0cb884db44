import { Buffer } from 'node:buffer'
import type { ConnectorDocument, FieldDocument, Operation, ResourceDocument } from '../connector/document.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { DescribedField, DescribedObjects } from '../core/resources/own-objects.ts'
import { filtersOf, OBJECTS_PATH, RESOURCES, type Resource, writableFields } from '../core/resources/registry.ts'
import type { RawApi } from './raw.ts'
import { parseJson } from './transport/answer.ts'

/** The objects of a server that its users described; the answer of `GET /v1/objects` of `crm serve`. */
export async function readOwnObjects(raw: RawApi): Promise<DescribedObjects> {
  const request = {
    method: 'GET',
    path: OBJECTS_PATH,
    headers: [],
    bytes: undefined,
    idempotencyKey: undefined,
  } as const
  const { reply, error } = await raw.send(request)
  if (error || !reply) throw error ?? new Error('no answer')
  const json = parseJson(Buffer.from(reply.body).toString())
  const listed = isJsonObject(json) && Array.isArray(json.data) ? json.data.filter(isJsonObject) : []
  return Object.fromEntries(
    listed.flatMap(({ own, name, one, about, fields }) =>
      own === true ? [[String(name), { one: String(one), about: String(about), fields: fieldsOf(fields) }]] : [],
    ),
  )
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
  const { described = {} } = document
  const defined = own.flatMap(([name, { plural }]) => {
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
