import type { JsonObject } from '../../core/json.ts'
import type { ApiMethod, ApiParameter } from './api-description.ts'
import { draftPaging } from './draft-paging.ts'
import { textOf } from './path-texts.ts'
import type { ResourceContext } from './resource-context.ts'
import { fieldFit, fieldNames, foldedName } from './server-names.ts'

const TERMS = ['term', 'q', 'query', 'search', 'searchterm', 'keyword', 'text', 'searchtext']

/** Search of contacts by email address; undefined where the document shows none that takes a value as a parameter. */
export function draftFind(context: ResourceContext, path: string): JsonObject | undefined {
  const { resource, offered, decisions, at } = context
  if (resource !== 'contact') return undefined
  const { list, searches } = offered
  const byEmail = list?.method === 'get' ? emailParameter(list) : undefined
  if (list && byEmail) return { email: findOn(list, { [byEmail.name]: '{value}' }, { context, path }) }
  for (const search of searches) {
    if (search.method !== 'get') continue
    const term = emailParameter(search) ?? parameterNamed(search, TERMS)
    if (term) return { email: findOn(search, { [term.name]: '{value}', ...narrowing(search) }, { context, path }) }
  }
  const posted = searches.find((search) => search.method === 'post')
  if (posted)
    decisions.remark(
      [...at, 'list'],
      `POST ${posted.path} may find contacts by email: find: { email: { method: POST, path: ..., body: ... } }`,
    )
  return undefined
}

function emailParameter(method: ApiMethod): ApiParameter | undefined {
  const names = fieldNames('contact').email ?? []
  return method.parameters.find(({ name, in: place }) => place === 'query' && names.includes(foldedName(name)))
}

function parameterNamed({ parameters }: ApiMethod, names: readonly string[]): ApiParameter | undefined {
  return parameters.find(({ name, in: place }) => place === 'query' && names.includes(foldedName(name)))
}

/** Parameters that keep a search to email addresses, and to whole ones. */
function narrowing(method: ApiMethod): JsonObject {
  const fields = parameterNamed(method, ['fields', 'searchfields', 'field', 'searchby'])
  const values = fields
    ? [...fields.schema.values, ...(fields.schema.example === undefined ? [] : [fields.schema.example])]
    : []
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
  const { finder, api, collection, resource, fieldsView } = context
  const text = textOf(method.path, collection.slots, collection.path)
  const rest = text.startsWith(path) ? text.slice(path.length) : text
  const items = method.answer && finder.items(method.answer)
  // A hit with fewer fields than a record is read again by its id.
  const all = fieldFit(resource, fieldsView.members.keys())
  const isHit =
    items !== undefined && method !== context.offered.list && items.view.members.size < fieldsView.members.size
  const { paging } = draftPaging(method, api.schemas)
  return {
    ...(rest !== '' && { path: rest }),
    query,
    ...(items && { items: items.path }),
    paging: paging ?? 'none',
    ...(isHit && all > 0 && { gives: 'id' }),
  }
}

const FILTERED = ['email', 'owner_id', 'company_id', 'pipeline_id', 'contact_id', 'phone']

/** Parameters of the list that are named like a member of the record. */
export function draftFilters({ resource, offered, fieldsView }: ResourceContext): JsonObject | undefined {
  const parameters = offered.list?.method === 'get' ? offered.list.parameters : []
  const found = FILTERED.flatMap((field) => {
    const names = fieldNames(resource)[field] ?? []
    const parameter = parameters.find(({ name, in: place }) => {
      const isMember = fieldsView.members.has(name) || names.includes(foldedName(name))
      return place === 'query' && isMember && names.includes(foldedName(name))
    })
    return parameter ? [[field, { query: parameter.name }] as const] : []
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
