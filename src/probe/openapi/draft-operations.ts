import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import type { ApiMethod } from './api-description.ts'
import { draftFilters, draftFind } from './draft-find.ts'
import { type DraftPaging, draftPaging } from './draft-paging.ts'
import { selectParameter } from './draft-select.ts'
import { draftUpdate } from './draft-update.ts'
import { askOf, parameterIn, segmentsOf, variableName } from './path-parts.ts'
import { commonPath, textOf } from './path-texts.ts'
import { joined, type RecordFinder, type RecordPlace } from './record-places.ts'
import type { ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'
import { CREATED_NAMES, fieldFit, foldedName, ID_NAMES } from './server-names.ts'

type Name = 'list' | 'get' | 'create' | 'update' | 'delete'

const USUAL: Readonly<Record<Name, string>> = {
  list: 'get',
  get: 'get',
  create: 'post',
  update: 'patch',
  delete: 'delete',
}

export interface DraftOperations {
  readonly operations: JsonObject
  /** Of the resource. */
  readonly path: string
  readonly methods: readonly ApiMethod[]
}

export function draftOperations(context: ResourceContext): DraftOperations {
  const { resource, offered, collection } = context
  const isListOnly = RESOURCES[resource].operations.length === 0 || resource === 'stage'
  const [update] = offered.updates
  const all: readonly (readonly [Name, ApiMethod | undefined])[] = isListOnly
    ? [['list', offered.list]]
    : [
        ['list', offered.list],
        ['get', offered.get],
        ['create', offered.create],
        ['update', update],
        ['delete', offered.delete],
      ]
  const found = all.flatMap(([name, method]) => (method ? [{ name, method, text: pathOf(method, context) }] : []))
  const own = textOf(collection.path, collection.slots, collection.path)
    .replace(/\/$/, '')
    .replace(/\.json$/i, '')
  const path = commonPath(
    found.map(({ text }) => text),
    own,
  )
  const operations: JsonObject = {}
  for (const { name, method, text } of found) {
    const rest = text.slice(path.length)
    const made: JsonObject = {
      ...(method.method !== USUAL[name] && { method: method.method.toUpperCase() }),
      ...(rest !== '' && { path: rest }),
      ...partsOf(name, method, context),
    }
    const query = { ...queryOf(name, method, context), ...asObject(made.query) }
    if (Object.keys(query).length > 0) made.query = query
    operations[name] = made
  }
  const methods = found.map(({ method }) => method)
  if (!offered.list) {
    const lacks = `the document has no request that lists ${RESOURCES[resource].plural}: list: { path: ..., items: ... }`
    const recent = offered.recent ? `; ${offered.recent.path} shows recent ones alone` : ''
    context.decisions.decide(context.at, `${lacks}, or they are found by id alone${recent}`)
  }
  if (isListOnly) return { operations, path, methods }
  const find = draftFind(context, path)
  const filters = draftFilters(context)
  return { operations: { ...operations, ...(find && { find }), ...(filters && { filters }) }, path, methods }
}

/** An operation of the other collection has the slots of that one. */
function pathOf(method: ApiMethod, context: ResourceContext): string {
  const { collection, other, offered, variables, decisions, at } = context
  if (method === offered.list && method.method === 'get' && method.path !== collection.path) {
    const view = parameterIn(segmentsOf(method.path).at(-1))
    if (view !== undefined) {
      const { description = '' } = method.parameters.find(({ name }) => name === view) ?? {}
      variables[variableName(view)] = { ask: askOf(view, description) }
      decisions.decide([...at, 'list'], `is ${method.path} the list, with one {${view}} for all, asked for at login?`)
      return textOf(method.path, collection.slots, collection.path).replace('{id}', `{${variableName(view)}}`)
    }
  }
  const isOthers = other !== undefined && method.path.startsWith(other.path) && !method.path.startsWith(collection.path)
  const { slots, path } = isOthers ? other : collection
  return textOf(method.path, slots, path)
}

function partsOf(name: Name, method: ApiMethod, context: ResourceContext): JsonObject {
  if (name === 'list') return listParts(method, context)
  if (name === 'delete') return method.answer ? { ok: [200, 204] } : {}
  if (name === 'get') return recordPart(method, context)
  const body = bodyPart(name, method, context)
  const { bodyType } = method
  return {
    ...(bodyType !== undefined && { headers: { 'Content-Type': bodyType } }),
    ...body,
    ...(name === 'update' && draftUpdate(method, context)),
    ...givesPart(name, method, context),
  }
}

function listParts(method: ApiMethod, context: ResourceContext): JsonObject {
  const { finder, api, decisions, at } = context
  const items = method.answer && finder.items(method.answer)
  const { paging, doubt, remark } = listPaging(items, draftPaging(method, api.schemas))
  const place = [...at, 'list', 'paging']
  if (doubt !== undefined) decisions.decide(place, doubt)
  if (remark !== undefined) decisions.remark(place, remark)
  const order = paging.by === 'page' || paging.by === 'offset' ? orderOf(method) : undefined
  const body = listBody(method, context)
  return { ...(items && { items: items.path }), ...body, paging, ...(order && { query: order }) }
}

/** A list that is asked for with a body gets one, with what the server requires in it. */
function listBody({ method, path, body }: ApiMethod, context: ResourceContext): JsonObject {
  if (method === 'get' || !body) return {}
  const { api, decisions, at } = context
  const place = [...at, 'list', 'body']
  const needed = [...body.required].filter((name) => !PAGING_NAMES.test(foldedName(name)))
  const constants = needed.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const value = constantOf(api.schemas.member(body, name), name, 'list')
    if (value === undefined) decisions.decide(place, `the body of ${path} needs ${name}`)
    return value === undefined ? [] : [[name, value]]
  })
  if (body.members.size === 0) {
    decisions.decide(place, `the document names no member of the body of ${path}: add those that the server needs`)
  }
  return { body: Object.fromEntries(constants) }
}

/** The size of a page is not known: most servers have pages of at least so many. */
const LEAST_PAGE = 10

/** Half a list is not a list: what the document leaves open ends a long list with an error. */
function listPaging(
  items: RecordPlace | undefined,
  drafted: DraftPaging,
): DraftPaging & { readonly paging: JsonObject } {
  const { paging } = drafted
  if (items && isWhole(paging)) return { ...drafted, paging }
  const unknown = items
    ? 'the document does not show how the list is paged'
    : 'the document does not describe the answer'
  const why = (items && drafted.doubt) ?? unknown
  const size = asObject(paging?.size)
  const ends = { by: 'none', ...(size.max !== undefined && { size }), most: size.max ?? LEAST_PAGE }
  return {
    paging: ends,
    doubt: `${why}; until it is named here, a list of "most" records ends with an error; crm connectors create --probe URL reads it`,
    remark: undefined,
  }
}

function isWhole(paging: JsonObject | undefined): paging is JsonObject {
  return paging?.by !== undefined && (paging.by !== 'cursor' || paging.next !== undefined)
}

/** Pages of a list without an order may miss records. */
function orderOf({ parameters }: ApiMethod): JsonObject | undefined {
  const named = (names: readonly string[]) =>
    parameters.find(({ name, in: place }) => place === 'query' && names.includes(foldedName(name)))
  const sort = named(['sortby', 'sort', 'orderby', 'ordering', 'sortfield'])
  const field = [...ID_NAMES, ...CREATED_NAMES].flatMap(
    (name) => sort?.schema.values.find((value) => foldedName(String(value)) === name) ?? [],
  )[0]
  if (!sort || field === undefined) return undefined
  const direction = named(['order', 'sortdirection', 'sortorder', 'direction', 'orderdirection', 'sortdir'])
  const up = direction?.schema.values.find((value) => /^asc/i.test(String(value)))
  return { [sort.name]: field, ...(direction && up !== undefined && { [direction.name]: up }) }
}

function recordPart({ answer }: ApiMethod, { finder }: ResourceContext): JsonObject {
  const found = answer && finder.record(answer)
  return found && found.path !== '.' ? { record: found.path } : {}
}

/** Without a described answer, the status of an update decides; of a create, only the answer has the id. */
function givesPart(name: 'create' | 'update', method: ApiMethod, context: ResourceContext): JsonObject {
  const { finder, offered, fieldsView, resource, decisions, at } = context
  if (method.isAnswerEmpty || (name === 'update' && !method.answer)) return { gives: 'nothing' }
  const own = method.answer && finder.record(method.answer)
  const found = own ?? (offered.get?.answer && finder.record(offered.get.answer))
  if (!found) {
    decisions.decide(
      [...at, name],
      'the document does not describe the answer: gives is where it shows the record or its id',
    )
    return {}
  }
  const isFit = ({ members }: SchemaView) => fieldFit(resource, members.keys()) > 0
  const idName = isFit(fieldsView) && !isFit(found.view) ? idAlone(found, finder) : undefined
  const path = idName === undefined ? found.path : joined(found.path, idName)
  return path === '.' ? {} : { gives: WORDS.includes(path) ? `\\${path}` : path }
}

/** Of `gives`: a member of that name is written with a backslash. */
const WORDS = ['record', 'nothing']

/** The name of the id where an answer has one, and often times and the kind of the record, without its fields. */
function idAlone({ view }: RecordPlace, finder: RecordFinder): string | undefined {
  if (finder.inside(view) !== '.') return undefined
  const names = [...view.members.keys()]
  return names.find((name) => /^id$/i.test(name)) ?? names.find((name) => /id$/i.test(name))
}

/** The body around the record, where it is not the record itself. */
function bodyPart(name: Name, method: ApiMethod, { finder, inside, api, decisions, at }: ResourceContext): JsonObject {
  if (method.isForm) decisions.decide([...at, name], 'the document describes a form as the body, and crm sends JSON')
  if (!method.body) return {}
  const { path } = finder.body(method.body, inside)
  const names = namesIn(path)
  const wrap = (view: ApiMethod['body'], rest: readonly string[]): JsonValue => {
    const [next, ...more] = rest
    if (next === undefined || !view) return '{record}'
    if (next === IN_LIST) return [wrap(api.schemas.view(view.items), more)]
    const beside = [...view.required].flatMap((member): readonly (readonly [string, JsonValue])[] => {
      if (member === next) return []
      const value = constantOf(api.schemas.member(view, member), member, name)
      if (value !== undefined) return [[member, value]]
      decisions.decide([...at, name], `the body needs ${member} beside the record`)
      return []
    })
    return Object.fromEntries([...beside, [next, wrap(api.schemas.member(view, next), more)]])
  }
  const body = wrap(method.body, names)
  const usual: JsonValue = inside === '.' ? '{record}' : { [inside]: '{record}' }
  return JSON.stringify(body) === JSON.stringify(usual) ? {} : { body }
}

const IN_LIST = '[0]'

/** The names of members down to a path; `[0]` for the only element of a list. */
function namesIn(path: string): readonly string[] {
  if (path === '.') return []
  const parts = path.split(/(?<!\\)\.|(?=\[0\])/).filter((each) => each !== '')
  return parts.map((each) => (each === IN_LIST ? each : each.replaceAll('\\', '')))
}

function constantOf(view: ApiMethod['body'], member: string, operation: Name): JsonValue | undefined {
  if (!view) return undefined
  if (view.default !== undefined) return view.default
  if (view.values.length === 1) return view.values[0]
  if (foldedName(member) === 'id' && operation === 'update') return '{id}'
  if (view.type === 'array') return []
  return view.type === 'boolean' ? false : undefined
}

/** Parameters without which the server refuses the request. */
function queryOf(name: Name, method: ApiMethod, context: ResourceContext): JsonObject {
  const { decisions, at, variables, offered, inside } = context
  const select = name === 'list' ? selectParameter(offered, inside)?.name : undefined
  const needed = method.parameters.filter(({ in: place, isRequired }) => place === 'query' && isRequired)
  const query: Record<string, JsonValue> = {}
  for (const { name: parameter, schema, description } of needed) {
    if (parameter === select || PAGING_NAMES.test(foldedName(parameter))) continue
    const constant = schema.default ?? (schema.values.length === 1 ? schema.values[0] : undefined)
    if (constant !== undefined && typeof constant !== 'object') query[parameter] = constant
    else {
      const variable = variableName(parameter)
      variables[variable] = { ask: askOf(parameter, description) }
      query[parameter] = `{${variable}}`
      decisions.decide(
        [...at, name],
        `each request needs ${parameter}: one value for all is assumed, asked for at login`,
      )
    }
  }
  return query
}

const PAGING_NAMES = /^(?:page|limit|offset|perpage|pagesize|cursor|count|skip|top)/

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
