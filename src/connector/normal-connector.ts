import type { JsonObject, JsonValue } from '../core/json.ts'
import type { FieldType, ResourceDefinition } from '../core/resources/field.ts'
import { DESCRIBED_TYPES, type DescribedField, type DescribedObject } from '../core/resources/own-objects.ts'
import { fieldOf, RESOURCES, type Resource, resourceNamed } from '../core/resources/registry.ts'
import type {
  ConnectorDocument,
  FieldDocument,
  LinksDocument,
  Operation,
  ResourceDocument,
  ValueType,
} from './document.ts'
import { isOwnValue } from './field-map.ts'
import { LISTED_OBJECT, type ReadConnector } from './format.ts'
import { compilePath, writeAt } from './paths.ts'
import { BATCH_KINDS } from './shared-parts.ts'
import { singularOf } from './singular.ts'

// What a part takes from those around it: an operation from its object, an object from its connector.

type ReadObject = ReadConnector['objects'][string]

interface Around {
  /** In requests. */
  readonly noun: string
  readonly connector: ReadConnector
  readonly object: ReadObject
  readonly resource: Resource
}

export function normalConnector(connector: ReadConnector): ConnectorDocument {
  const { objects, record, verbs, batch, select, paging, schema, idempotency, links, ...own } = connector
  const all = Object.entries(objects).map(([noun, object]) => {
    const resource = kindOf(connector, noun)
    return {
      noun,
      object,
      resource,
      document: normalResource({ connector, object, resource, noun: noun === LISTED_OBJECT ? '{type}' : noun }),
    }
  })
  const known = all.filter(({ noun, object }) => object.is !== undefined || ownKind(noun) !== undefined)
  const listed = all.find(({ noun }) => noun === LISTED_OBJECT)
  const others = all.filter((each) => each !== listed && !known.includes(each))
  const described = others.map(
    ({ noun, object, resource, document }) => [noun, { object: describedObject(object, resource), document }] as const,
  )
  return {
    ...{ ...own, ...keptKeys(idempotency) },
    ...(described.length > 0 && { described: Object.fromEntries(described) }),
    ...(listed && { listed: listed.document }),
    ...(schema && { schema: normalSchema(schema, connector) }),
    ...(links && { links: linkRequests(links, connector) }),
    resources: Object.fromEntries(known.map(({ resource, document }) => [resource, document])),
  }
}

function normalSchema({ fields, ...schema }: NonNullable<ReadConnector['schema']>, connector: ReadConnector) {
  const object = connector.objects[LISTED_OBJECT]
  const types =
    object &&
    mapped(fields?.types ?? {}, (field, name) =>
      normalField(name, field, { connector, object, resource: LISTED_OBJECT as Resource, noun: LISTED_OBJECT }),
    )
  return { ...schema, fields: fields && { ...fields, types: types ?? {} } }
}

function linkRequests(
  { base, size, new: ofNew, types, ...others }: NonNullable<ReadConnector['links']>,
  connector: ReadConnector,
): LinksDocument {
  const usual = { ...NO_BODY, query: {}, base }
  const posts = mapped(others, (each) => ({
    ...each,
    ...operation('links', { ...usual, ...each, method: 'POST' }, { connector }),
  }))
  return {
    size,
    new: ofNew,
    types: { ...types, ...operation('links', { ...usual, ...types }, { connector }) },
    ...posts,
  } as LinksDocument
}

/** What the commands take an object for: one of crm, or one of this connector alone. */
function kindOf({ objects }: ReadConnector, noun: string): Resource {
  const { is, one } = objects[noun] ?? {}
  return is ?? ownKind(noun) ?? ((one ?? singularOf(noun)) as Resource)
}

/** Of crm, not of users or of another connector. */
function ownKind(noun: string): Resource | undefined {
  const resource = resourceNamed(noun)
  const { isOwn }: Partial<ResourceDefinition> = resource ? RESOURCES[resource] : {}
  return isOwn ? undefined : resource
}

function describedObject({ fields }: ReadObject, one: string): DescribedObject {
  return { one, fields: mapped(fields, ({ described }) => fieldIn(described)) }
}

function fieldIn({ type, ...described }: ReadObject['fields'][string]['described']): DescribedField {
  const known = DESCRIBED_TYPES.find((each) => each === type)
  return { ...described, ...(known && { type: known }) }
}

function keptKeys(idempotency: ReadConnector['idempotency']): Pick<ConnectorDocument, 'idempotency' | 'requestLifeMs'> {
  if (typeof idempotency === 'string') return { idempotency, requestLifeMs: undefined }
  const { header, window: windowMs, scope, life: requestLifeMs, kept } = idempotency
  return { idempotency: header === undefined ? 'none' : { header, windowMs, scope, kept }, requestLifeMs }
}

function normalResource(around: Around): ResourceDocument {
  const { connector, object, noun } = around
  const { record, verbs, batch, select, parent, fields, others, read_only, value, filters, links } = object
  const { find, upsert, ...single } = verbs
  const kinds = BATCH_KINDS.flatMap((kind) => (batch[kind] ? [[kind, batch[kind]] as const] : []))
  const { param, names, ...selecting } = select ?? {}
  return {
    ...{ ...record, others, read_only, value, filters },
    ...parentsOf(connector, parent),
    select: param === undefined ? undefined : { param, ...selecting },
    names: names && { ...names, ...operation('list', { ...NO_BODY, ...names }, { connector }) },
    ...mapped(single, (verb, name) => verb && operation(name, verb, around)),
    find: mapped(find, (each) => operation('find', each, around)),
    upsert: mapped(upsert, (each) => operation('upsert', each, around)),
    batch: mapped(Object.fromEntries(kinds), (each) => operation('batch', each, around)),
    fields: mapped(fields, (field, name) => normalField(name, field, around)),
    ...(Object.keys(links).length > 0 && {
      links: { from: noun, fields: mapped(links, (to) => ({ to: kindOf(connector, to), noun: to })) },
    }),
  } as unknown as ResourceDocument
}

function parentsOf(connector: ReadConnector, parent: ReadObject['parent'] = {}) {
  const all = Object.entries(parent).map(
    ([noun, names]) => [kindOf(connector, noun), { [noun]: '{parent}', ...names }] as const,
  )
  return { parent: all[0]?.[0], parents: all.length > 0 ? Object.fromEntries(all) : undefined }
}

function mapped<From, To>(members: Readonly<Record<string, From>>, make: (from: From, name: string) => To) {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, make(member, name)]))
}

const NO_BODY = { method: 'GET', headers: {}, body: undefined, limits: undefined } as const

/** For the members that a verb does not have. */
const USUAL = { set: {}, record: '.', sends: 'changes' as const, drop: [] }

type ReadOperation = Pick<Operation, 'method' | 'path' | 'headers' | 'query' | 'base' | 'body' | 'limits'> & {
  readonly ok?: Operation['ok'] | undefined
  readonly gives?: string | undefined
  readonly match?: unknown
}

const SENDING = ['create', 'update', 'upsert']

function operation(
  name: string,
  read: ReadOperation,
  { connector, object }: Pick<Around, 'connector'> & Partial<Around>,
): Operation {
  const { headers, query } = connector
  const isUnanswered = name === 'delete' || read.match === 'all'
  return {
    ...USUAL,
    ...read,
    base: read.base ?? object?.base,
    headers: { ...headers, ...read.headers },
    query: { ...query, ...read.query },
    body: read.body ?? (object && SENDING.includes(name) ? recordBody(object.record.inside) : undefined),
    ok: read.ok ?? {},
    gives: read.gives ?? (isUnanswered ? 'nothing' : 'record'),
  }
}

/** `{ properties: '{record}' }` for a record whose fields are in `properties`. */
function recordBody(inside: string): JsonValue {
  if (inside === '.') return '{record}'
  const body: JsonObject = {}
  writeAt(compilePath(inside), body, '{record}')
  return body
}

const TYPES: Readonly<Record<FieldType, ValueType>> = {
  id: 'id',
  reference: 'id',
  text: 'string',
  texts: 'any',
  number: 'number',
  integer: 'integer',
  boolean: 'any',
  date: 'date',
  time: 'time',
}

/** The type of a field without one: that of the registry, and of other fields whatever the server sends. */
export function defaultType(resource: Resource | undefined, field: string): ValueType {
  const known = resource && Object.hasOwn(RESOURCES, resource) ? fieldOf(resource, field) : undefined
  return known ? TYPES[known.type] : 'any'
}

function normalField(
  name: string,
  read: ReadObject['fields'][string],
  { connector, object, resource }: Around,
): FieldDocument {
  const { clear, open } = object.record
  const { described, ...own } = read
  const field = {
    ...own,
    type: read.type ?? defaultType(resource, name),
    ref: read.ref === undefined ? undefined : kindOf(connector, read.ref),
    ...(described.to !== undefined && { to: kindOf(connector, described.to) }),
    ...(described.many && { many: true as const }),
    clear: read.clear === undefined ? clear : read.clear,
  }
  return open && isOwnValue(name, field) ? { ...field, type: 'any' } : field
}
