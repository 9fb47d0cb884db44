import { defined, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { CREATED_NAMES, fieldFit, fieldNames, foldedName, ID_NAMES } from '../names.ts'
import { type DraftPaging, draftPaging } from './draft-paging.ts'
import { askOf, pathMember, textOf, variableName } from './paths.ts'
import { type ApiMethod, type ApiParameter, parameterNamed } from './read-description.ts'
import { itemsIn, type RecordPlace } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'

/** The list: where its records are, what it is asked for with, and how it is paged. */
export function draftList(method: ApiMethod, context: ResourceContext): JsonObject {
  const { resource, at, decide, decisions } = context
  const items = itemsIn(resource, method.answer)
  const { paging, doubt, remark } = listPaging(items, draftPaging(method))
  const place = `${at}.verbs.list.paging`
  if (doubt !== undefined) decisions.decide(place, doubt)
  if (remark !== undefined) decisions.remark(place, remark)
  const isCounted = paging?.by === 'page' || paging?.by === 'offset'
  if (method.method !== 'get' && method.body?.members.size === 0) {
    decide('.verbs.list', `the document names no member of the body of ${method.path}: add those that the server needs`)
  }
  return defined({
    items: items?.path,
    body: listBody(method, context),
    paging,
    query: isCounted ? orderOf(method) : undefined,
  })
}

/** A list that is asked for with a body gets one, with what the server requires in it. */
function listBody({ method, path, body }: ApiMethod, { decide }: ResourceContext): JsonObject | undefined {
  if (method === 'get' || !body) return undefined
  const needed = [...body.required].filter((name) => !isPaging(name))
  const constants = needed.map((name): readonly [string, JsonValue | undefined] => {
    const value = constantOf(body.member(name))
    if (value === undefined) decide('.verbs.list', `the body of ${path} needs ${name}`)
    return [name, value]
  })
  return defined(Object.fromEntries(constants))
}

/** The size of a page is not known: most servers have pages of at least so many. */
const LEAST_PAGE = 10

/** Half a list is not a list: what the document leaves open ends a long list with an error. */
function listPaging(items: RecordPlace | undefined, drafted: DraftPaging): DraftPaging {
  const { paging } = drafted
  const isWhole = paging?.by !== undefined && (paging.by !== 'cursor' || paging.next !== undefined)
  if (items && isWhole) return drafted
  const why = items
    ? (drafted.doubt ?? 'the document does not show how the list is paged')
    : 'nothing describes the answer'
  const { max } = objectOf(paging?.size)
  return {
    paging: defined({ by: 'none', size: max === undefined ? undefined : paging?.size, most: max ?? LEAST_PAGE }),
    doubt: `${why}; until it is named here, a list of "most" records ends with an error; crm connectors create --probe URL reads it`,
  }
}

/** Pages of a list without an order may miss records. */
function orderOf(method: ApiMethod): JsonObject | undefined {
  const sort = parameterNamed(method, ['sortby', 'sort', 'orderby', 'ordering', 'sortfield'])
  const [field] = [...ID_NAMES, ...CREATED_NAMES].flatMap(
    (name) => sort?.schema.values.find((value) => foldedName(String(value)) === name) ?? [],
  )
  if (!sort || field === undefined) return undefined
  const directions = ['order', 'sortdirection', 'sortorder', 'direction', 'orderdirection', 'sortdir']
  const direction = parameterNamed(method, directions)
  const up = direction?.schema.values.find((value) => /^asc/i.test(String(value)))
  return { [sort.name]: field, ...(direction && up !== undefined && { [direction.name]: up }) }
}

/** The value that a member has without a person's word. */
export function constantOf(view: SchemaView | undefined): JsonValue | undefined {
  const constant = onlyValue(view)
  if (constant !== undefined) return constant
  return view?.type === 'array' ? [] : view?.type === 'boolean' ? false : undefined
}

export function onlyValue(view: SchemaView | undefined): JsonValue | undefined {
  return view?.default ?? (view?.values.length === 1 ? view.values[0] : undefined)
}

function isPaging(name: string): boolean {
  return /^(?:page|limit|offset|perpage|pagesize|cursor|count|skip|top)/.test(foldedName(name))
}

/** Parameters without which the server refuses the request. */
export function neededQuery(part: string, method: ApiMethod, context: ResourceContext): JsonObject {
  const { decide, variables } = context
  const select = part === 'list' ? selectParameter(context)?.name : undefined
  const needed = method.parameters.filter(
    ({ name, in: place, isRequired }) => place === 'query' && isRequired && name !== select && !isPaging(name),
  )
  const query = needed.map(({ name, schema, description }): readonly [string, JsonValue] => {
    const constant = onlyValue(schema)
    if (constant !== undefined && typeof constant !== 'object') return [name, constant]
    variables[variableName(name)] = { ask: askOf(name, description) }
    decide(`.verbs.${part}`, `each request needs ${name}: one value for all is assumed, asked for at login`)
    return [name, `{${variableName(name)}}`]
  })
  return Object.fromEntries(query)
}

const SELECTS = /^(?:(?:select|include)?fields|select|properties|attributes|columns|fieldnames)$/

/** The parameter with the names of the members to show: `?properties=email`, for fields in `properties`, or one that a list needs. */
function selectParameter({ offered: { list }, inside }: ResourceContext): ApiParameter | undefined {
  return list?.parameters.find(({ name, in: place, isRequired, schema }) => {
    const isText = (schema.type === 'string' || schema.type === 'array') && schema.values.length === 0
    const isNeeded = isRequired && isText && SELECTS.test(foldedName(name))
    return place === 'query' && (isNeeded || (inside !== '.' && name === inside))
  })
}

/** A record that is sent whole must be read whole: then the names are asked for at login. */
export function draftSelect(context: ResourceContext, { list, update }: JsonObject): JsonObject {
  const found = selectParameter(context)
  if (!found) return {}
  const { name, description, isRequired, isRepeated } = found
  if (objectOf(update).sends !== 'whole') {
    return { select: { param: name, ...((!isRepeated || /comma/i.test(description)) && { as: 'comma' }) } }
  }
  if (!isRequired) return {}
  const variable = variableName(name)
  context.variables[variable] = { ask: askOf(name, description) }
  if (isJsonObject(list)) list.query = { ...objectOf(list.query), [name]: `{${variable}}` }
  context.decide(
    '.verbs.list',
    `each request needs ${name}, and an update sends the whole record: name all members at login`,
  )
  return {}
}

const TERMS = ['term', 'q', 'query', 'search', 'searchterm', 'keyword', 'text', 'searchtext']

/** Search of contacts by email address; undefined where the document shows none that takes a value as a parameter. */
export function draftFind(context: ResourceContext, path: string): JsonObject | undefined {
  const { resource, offered, decisions, at } = context
  if (resource !== 'contact') return undefined
  const { list, searches } = offered
  const emails = fieldNames('contact').email ?? []
  const byEmail = list?.method === 'get' && parameterNamed(list, emails)
  if (list && byEmail) return { email: findOn(list, { [byEmail.name]: '{value}' }, { context, path }) }
  for (const search of searches.filter(({ method }) => method === 'get')) {
    const term = parameterNamed(search, emails) ?? parameterNamed(search, TERMS)
    if (term) return { email: findOn(search, { [term.name]: '{value}', ...narrowing(search) }, { context, path }) }
  }
  const posted = searches.find(({ method }) => method === 'post')
  if (posted) {
    const text = `POST ${posted.path} may find contacts by email: find: { email: { method: POST, path: ..., body: ... } }`
    decisions.remark(`${at}.verbs.list`, text)
  }
  return undefined
}

/** Parameters that keep a search to email addresses, and to whole ones. */
function narrowing(method: ApiMethod): JsonObject {
  const fields = parameterNamed(method, ['fields', 'searchfields', 'field', 'searchby'])
  const values = [...(fields?.schema.values ?? []), fields?.schema.example]
  const email = values.find((value) => typeof value === 'string' && foldedName(value) === 'email')
  const exact = parameterNamed(method, ['exactmatch', 'exact', 'isexact'])
  return {
    ...(fields && email !== undefined && { [fields.name]: email }),
    ...(exact?.schema.type === 'boolean' && { [exact.name]: true }),
  }
}

function findOn(
  method: ApiMethod,
  query: JsonObject,
  { context, path }: { readonly context: ResourceContext; readonly path: string },
): JsonObject {
  const { collection, resource, fieldsView, offered } = context
  const items = itemsIn(resource, method.answer)
  // A hit with fewer fields than a record is read again by its id.
  const isHit = method !== offered.list && items !== undefined && items.view.members.size < fieldsView.members.size
  return defined({
    ...pathMember('find', textOf(method.path, collection), path),
    query,
    items: items?.path,
    paging: draftPaging(method).paging ?? 'none',
    gives: isHit && fieldFit(resource, fieldsView.members.keys()) > 0 ? 'id' : undefined,
  })
}

const FILTERED = ['email', 'owner_id', 'company_id', 'pipeline_id', 'contact_id', 'phone']

/** Parameters of the list that are named like a member of the record. */
export function draftFilters({ resource, offered: { list } }: ResourceContext): JsonObject | undefined {
  const found = FILTERED.flatMap((field) => {
    const parameter = list?.method === 'get' && parameterNamed(list, fieldNames(resource)[field] ?? [])
    return parameter ? [[field, { query: parameter.name }] as const] : []
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
