import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../core/json.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Api } from './api.ts'
import { openApiDocument, pointedAt } from './openapi-document.ts'
import type { DescribedMembers } from './operations.ts'
import { parseJson } from './transport/answer.ts'

/** Schemas may be nested: an envelope, an array, and a record that combines several schemas. */
const MAX_DEPTH = 6

/** Whether every schema of a member is numeric, by its name. */
type Described = Map<string, boolean>

/**
 * The members of a record in the OpenAPI document of the server, else in its GraphQL schema; none when it has neither.
 * CrmError when the server cannot be asked.
 */
export async function describedMembers(
  { raw, graphql }: Pick<Api, 'raw' | 'graphql'>,
  resource: Resource,
): Promise<DescribedMembers> {
  const described: Described = new Map()
  const document = await openApiDocument((path) => fetchJson(raw, path))
  if (document) addFromDocument(described, document, resource)
  if (described.size === 0) addFromSchema(described, await graphqlFields(graphql, resource))
  const numbers = [...described].flatMap(([name, isNumber]) => (isNumber ? [name] : []))
  return { names: new Set(described.keys()), numbers: new Set(numbers) }
}

/** A name with a capital letter may be spelt otherwise in REST: `ownerId` is `owner_id` there. */
function addFromSchema(described: Described, fields: readonly JsonValue[]): void {
  for (const field of fields) {
    const name = String(valueAt(field, ['name']))
    const type = valueAt(field, ['type', 'ofType', 'name']) ?? valueAt(field, ['type', 'name'])
    if (name === name.toLowerCase()) add(described, name, type === 'Int' || type === 'Float')
  }
}

function add(described: Described, name: string, isNumber: boolean): void {
  described.set(name, isNumber && described.get(name) !== false)
}

/** Undefined if the answer is not JSON: many servers answer every path with an HTML page. */
export async function fetchJson(
  raw: Api['raw'],
  path: string,
  more: { readonly isProbe?: true } = {},
): Promise<JsonValue | undefined> {
  const request = { method: 'GET', path, headers: [], bytes: undefined, idempotencyKey: undefined, ...more } as const
  const { reply, error } = await raw.send(request)
  if (error && (reply?.status === undefined || reply.status >= 500)) throw error
  return error || !reply ? undefined : (parseJson(Buffer.from(reply.body).toString()) ?? undefined)
}

/** Adds the members in requests and responses of the paths of a resource. */
function addFromDocument(described: Described, document: JsonObject, resource: Resource): void {
  const isOf = new RegExp(`(?:^|/)${RESOURCES[resource].plural}(?:/\\{[^/]*\\})?/?$`, 'i')
  const paths = isJsonObject(document.paths) ? Object.entries(document.paths) : []
  const operations = paths.filter(([path]) => isOf.test(path)).flatMap(([, item]) => objectsIn(item))
  const bodies = operations.flatMap(({ requestBody, responses }) => [requestBody, ...objectsIn(responses)])
  for (const schema of bodies.flatMap((body) => schemasOf(document, body ?? null))) {
    addProperties(described, document, schema, MAX_DEPTH)
  }
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : []
}

/** Swagger 2 has one schema, OpenAPI 3 one for each content type. */
function schemasOf(document: JsonObject, body: JsonValue): readonly JsonValue[] {
  const value = resolved(document, body)
  if (!isJsonObject(value)) return []
  const contents = isJsonObject(value.content) ? Object.values(value.content) : []
  return [value.schema ?? null, ...contents.map((content) => valueAt(content, ['schema']) ?? null)]
}

function addProperties(described: Described, document: JsonObject, from: JsonValue, deepest: number): void {
  const schema = resolved(document, from)
  if (deepest === 0 || !isJsonObject(schema)) return
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  for (const part of [...parts, schema.items ?? null]) addProperties(described, document, part, deepest - 1)
  if (!isJsonObject(schema.properties)) return
  for (const [name, property] of Object.entries(schema.properties)) {
    add(described, name, isNumeric(document, property))
    const items = valueAt(resolved(document, property), ['items'])
    if (items !== undefined) addProperties(described, document, items, deepest - 1)
  }
}

/** In OpenAPI 3.1 `type` may be a list that includes null. */
function isNumeric(document: JsonObject, from: JsonValue): boolean {
  const schema = resolved(document, from)
  if (!isJsonObject(schema)) return false
  const parts = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const types = [schema.type, ...parts.map((part) => valueAt(resolved(document, part), ['type']))].flat()
  const known = types.filter((type) => typeof type === 'string' && type !== 'null')
  return known.length > 0 && known.every((type) => type === 'number' || type === 'integer')
}

function resolved(document: JsonObject, value: JsonValue): JsonValue {
  return isJsonObject(value) && typeof value.$ref === 'string' ? (pointedAt(document, value.$ref) ?? null) : value
}

async function graphqlFields(graphql: Api['graphql'], resource: Resource): Promise<readonly JsonValue[]> {
  const name = `${resource[0]?.toUpperCase()}${resource.slice(1)}`
  const query = `{ __type(name: ${JSON.stringify(name)}) { fields { name type { name ofType { name } } } } }`
  try {
    const request = { query, variables: {}, operationName: undefined, idempotencyKey: undefined }
    const { json } = await graphql.send({ ...request, isRead: true, isProbe: true })
    const fields = valueAt(json, ['data', '__type', 'fields'])
    return Array.isArray(fields) ? fields : []
  } catch (error) {
    // Any other failure means that GraphQL does not document the resource.
    if (error instanceof CrmError && !UNANSWERED.includes(error.code)) return []
    throw error
  }
}

const UNANSWERED: readonly string[] = ['interrupted', 'rate_limited', 'unreachable', 'timeout']
