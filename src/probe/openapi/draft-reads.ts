import { defined, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { CREATED_NAMES, fieldFit, fieldNames, foldedName, ID_NAMES } from '../names.ts'
import { draftPaging } from './draft-paging.ts'
import { askAtLogin, pathMember, textOf } from './paths.ts'
import { type ApiMethod, type ApiParameter, parameterNamed } from './read-description.ts'
import { itemsIn } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'

/** The size of a page is not known: most servers have pages of at least so many. */
const LEAST_PAGE = 10

/** The list: where its records are, what it is asked for with, and how it is paged. */
export function draftList(method: ApiMethod, context: ResourceContext): JsonObject {
  const { resource, decide } = context
  const items = itemsIn(resource, method.answer)?.path
  const { paging: shown, sizes, doubt } = draftPaging(method)
  const why = items === undefined ? 'nothing describes the answer' : doubt
  const isKnown = items !== undefined && shown !== undefined
  // Half a list is not a list: what the document leaves open ends a long list with an error.
  const paging = isKnown ? shown : { by: 'none', ...sizes, most: objectOf(sizes.size).max ?? LEAST_PAGE }
  const more =
    'until it is named here, a list of "most" records ends with an error; crm connectors create --probe URL reads it'
  if (!isKnown) decide('.verbs.list.paging', `${why ?? 'the document does not show how the list is paged'}; ${more}`)
  else if (doubt !== undefined) decide('.verbs.list.paging', doubt)
  if (method.method !== 'get' && method.body?.members.size === 0) {
    decide('.verbs.list', `the document names no member of the body of ${method.path}: add those that the server needs`)
  }
  const isCounted = paging.by === 'page' || paging.by === 'offset'
  return defined({ items, body: listBody(method, context), paging, query: isCounted ? orderOf(method) : undefined })
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
  return onlyValue(view) ?? (view?.type === 'array' ? [] : view?.type === 'boolean' ? false : undefined)
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
    decide(`.verbs.${part}`, `each request needs ${name}: one value for all is assumed, asked for at login`)
    return [name, askAtLogin(variables, name, description)]
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
  const isWhole = objectOf(update).sends === 'whole'
  if (!isWhole) return { param: name, ...((!isRepeated || /comma/i.test(description)) && { as: 'comma' }) }
  if (isRequired) {
    const asked = askAtLogin(context.variables, name, description)
    Object.assign(objectOf(list), { query: { ...objectOf(objectOf(list).query), [name]: asked } })
    const what = `each request needs ${name}, and an update sends the whole record: name all members at login`
    context.decide('.verbs.list', what)
  }
  return {}
}

const TERMS = ['term', 'q', 'query', 'search', 'searchterm', 'keyword', 'text', 'searchtext']

/** Search of contacts by email address; undefined where the document shows none that takes a value as a parameter. */
export function draftFind({ resource, offered, ...context }: ResourceContext, path: string): JsonObject | undefined {
  const { list, search } = offered
  const emails = fieldNames('contact').email ?? []
  const byEmail = list?.method === 'get' ? parameterNamed(list, emails) : undefined
  const method = byEmail ? list : search
  const term = byEmail ?? (search && (parameterNamed(search, emails) ?? parameterNamed(search, TERMS)))
  if (resource !== 'contact' || !method || !term) return undefined
  const items = itemsIn(resource, method.answer)
  const { members } = context.fieldsView
  // A hit with fewer fields than a record is read again by its id.
  const isHit = method !== list && items !== undefined && items.view.members.size < members.size
  const find = defined({
    ...pathMember('find', textOf(method.path, context.collection), path),
    query: { [term.name]: '{value}', ...(byEmail ? {} : narrowing(method)) },
    items: items?.path,
    paging: draftPaging(method).paging ?? 'none',
    gives: isHit && fieldFit(resource, members.keys()) > 0 ? 'id' : undefined,
  })
  return { email: find }
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

const FILTERED = ['email', 'owner_id', 'company_id', 'pipeline_id', 'contact_id', 'phone']

/** Parameters of the list that are named like a member of the record. */
export function draftFilters({ resource, offered: { list } }: ResourceContext): JsonObject {
  const found = FILTERED.flatMap((field) => {
    const parameter = list?.method === 'get' && parameterNamed(list, fieldNames(resource)[field] ?? [])
    return parameter ? [[field, { query: parameter.name }] as const] : []
  })
  return Object.fromEntries(found)
}
