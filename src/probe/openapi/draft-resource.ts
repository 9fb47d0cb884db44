import { defined, isJsonObject, type JsonObject, type JsonValue, nonEmpty, objectOf } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { CREATED_NAMES, foldedName, isIdOf, memberNamed, nameFit, UPDATED_NAMES } from '../names.ts'
import type { Chosen, Drafting } from './collections.ts'
import { draftFields, nameParts, timeForm } from './draft-fields.ts'
import { draftParent } from './draft-parent.ts'
import { draftFilters, draftFind, draftList, draftSelect, neededQuery } from './draft-reads.ts'
import { addRequired, decideUnread, draftWrite, keepToCreate } from './draft-writes.ts'
import { addNestedFields, recordLeaves } from './nested-fields.ts'
import { askAtLogin, parameterIn, pathMember, segmentsOf, textOf } from './paths.ts'
import type { ApiMethod } from './read-description.ts'
import { escaped, idMemberOf, joined, recordIn } from './record-places.ts'
import { contextOf, type ResourceContext } from './resource-context.ts'
import { isNumber } from './schemas.ts'

export interface DraftResource {
  readonly value: JsonObject
  readonly methods: readonly ApiMethod[]
  readonly context: ResourceContext
}

export function draftResource(drafting: Drafting, chosen: Chosen): DraftResource {
  const context = contextOf(drafting, chosen)
  const { resource, collection, variables, inside, made } = context
  // Parameters of the path that are the same for all records.
  for (const { type, name, description } of collection.slots) {
    if (type === 'variable' || type === 'foreign') askAtLogin(variables, name, description)
  }
  const path = textOf(collection.path.replace(/(?:\.json)?\/?$/i, ''), collection)
  const isListOnly = RESOURCES[resource].operations.length === 0 || resource === 'stage'
  const methods = offeredMethods(isListOnly ? ['list'] : NAMES, context)
  const verbs: JsonObject = Object.fromEntries(
    methods.map(([name, method]) => [name, draftVerb(name, method, { context, path })]),
  )
  const members = { resource, read: context.fieldsView, write: context.writeView, stages: made.get('stage')?.value }
  const name = resource === 'contact' ? nameParts(members, context) : {}
  const { fields, mapped } = draftFields(members, name.parts)
  if (verbs.create !== undefined) keepToCreate(fields, context)
  const parent = draftParent(verbs, context)
  if (parent === 'pipelines') delete fields.pipeline_id
  addNestedFields(fields, context)
  const find = isListOnly || fields.email === undefined ? undefined : draftFind(context, path)
  if (find) verbs.find = find
  decideUnread(fields, verbs, context)
  const value: JsonObject = {
    ...defined({ path, parent }),
    record: { id: idOf(context), ...timesOf(context), ...(inside !== '.' && { inside }) },
    ...nonEmpty({ read_only: readOnlyOf(context, mapped, name.whole), select: draftSelect(context, verbs) }),
    verbs,
    ...nonEmpty({ filters: isListOnly ? {} : draftFilters(context), fields }),
  }
  addRequired(verbs, mapped, context)
  return { value, methods: methods.map(([, method]) => method), context }
}

const USUAL = { list: 'get', get: 'get', create: 'post', update: 'patch', delete: 'delete' } as const

type Name = keyof typeof USUAL

const NAMES = Object.keys(USUAL) as readonly Name[]

function offeredMethods(
  names: readonly Name[],
  { resource, offered, decide }: ResourceContext,
): readonly (readonly [Name, ApiMethod])[] {
  if (!offered.list) {
    const lacks = `the document has no request that lists ${RESOURCES[resource].plural}`
    decide('', `${lacks}: list: { path: ..., items: ... }, or they are found by id alone`)
  }
  return names.flatMap((name) => {
    const method = name === 'update' ? offered.updates[0] : offered[name]
    return method ? [[name, method] as const] : []
  })
}

/** `path`: of the resource. */
function draftVerb(
  name: Name,
  method: ApiMethod,
  { context, path }: { readonly context: ResourceContext; readonly path: string },
): JsonObject {
  const text = pathOf(method, context)
  const { query, ...parts } = partsOf(name, method, context)
  return {
    ...(method.method !== USUAL[name] && { method: method.method.toUpperCase() }),
    ...pathMember(name, text, path),
    ...parts,
    ...nonEmpty({ query: { ...neededQuery(name, method, context), ...objectOf(query) } }),
  }
}

/** An operation of the other collection has the slots of that one. */
function pathOf(method: ApiMethod, { collection, other, offered, variables, decide }: ResourceContext): string {
  const view = parameterIn(segmentsOf(method.path).at(-1))
  if (method === offered.list && method.method === 'get' && method.path !== collection.path && view !== undefined) {
    const asked = askAtLogin(variables, view, method.parameters.find(({ name }) => name === view)?.description)
    decide('.verbs.list', `is ${method.path} the list, with one {${view}} for all, asked for at login?`)
    return textOf(method.path, collection).replace('{id}', asked)
  }
  const isOthers = other !== undefined && method.path.startsWith(other.path) && !method.path.startsWith(collection.path)
  return textOf(method.path, isOthers ? other : collection)
}

function partsOf(name: Name, method: ApiMethod, context: ResourceContext): JsonObject {
  if (name === 'list') return draftList(method, context)
  if (name === 'delete') return method.answer ? { ok: [200, 204] } : {}
  if (name !== 'get') return draftWrite(name, method, context)
  const found = recordIn(context.resource, method.answer)
  return found && found.path !== '.' ? { record: found.path } : {}
}

function idOf({ resource, record, idMember: name, decisions, decide }: ResourceContext): JsonObject | string {
  const { plural, singular } = RESOURCES[resource]
  const id = `${plural}.id`
  const leaves = recordLeaves(record)
  const answer = decisions.answer(id)
  const view = answer === undefined ? record.member(name ?? '') : leaves.find(({ path }) => path === answer)?.view
  if (answer === undefined && !view) {
    const choices = leaves.slice(0, 20).map(({ path }) => path)
    const text = `the member with the id of a ${singular} was not found; id is assumed: --field ${id}=PATH`
    decide('.record.id', text, { id, ask: 'Which member is the id?', choices })
    return 'id'
  }
  const at = answer ?? escaped(name ?? 'id')
  if (view?.type === 'object' && view.members.size > 0) {
    const names = [...view.members.keys()]
    const own = names.find((each) => isIdOf(resource, each) || foldedName(each) === 'recordid')
    return `${at}.${escaped(own ?? names.at(-1) ?? 'id')}`
  }
  return view && isNumber(view) ? { at, type: 'integer' } : at
}

function timesOf({ record, fieldsView, inside }: ResourceContext): JsonObject {
  const time = (names: readonly string[]): JsonValue | undefined => {
    for (const [from, view] of [['.', record] as const, [inside, fieldsView] as const]) {
      const name = memberNamed(view.members, names)
      const member = view.member(name ?? '')
      if (name === undefined || !member || member.type === 'object' || member.type === 'boolean') continue
      const [at, as] = [joined(from, name), timeForm(member)]
      return as === undefined ? at : { at, as }
    }
    return undefined
  }
  return defined({ created_at: time(CREATED_NAMES), updated_at: time(UPDATED_NAMES) })
}

/** Members of answers that no body has; `whole`: the name that the server makes of its parts. */
function readOnlyOf(
  { fieldsView, writeView, inside, record, idMember, resource }: ResourceContext,
  mapped: ReadonlySet<string>,
  whole: string | undefined,
): string[] {
  if (!writeView || RESOURCES[resource].operations.length === 0) return []
  const system = [CREATED_NAMES, UPDATED_NAMES].map((names) => memberNamed(record.members, names))
  // Without members of its own, or with others beside them, their names are the user's.
  const isFree = fieldsView.members.size === 0 || fieldsView.isOpen
  return [...fieldsView.members.keys()].filter((name) => {
    if (mapped.has(name) || (inside === '.' && name === idMember) || system.includes(name)) return false
    return name === whole || fieldsView.member(name)?.isReadOnly || (!writeView.members.has(name) && !isFree)
  })
}

/** Stages as a list within each pipeline; undefined if pipelines have none. */
export function stagesInPipelines({ value, context }: DraftResource): DraftResource | undefined {
  const { fieldsView, inside } = context
  const { list } = objectOf(value.verbs)
  const { id } = objectOf(value.record)
  const isNamed = (name: string) => nameFit('stage', name) > 0 || foldedName(name) === 'statuses'
  const name = [...fieldsView.members.keys()].find((each) => isNamed(each) && fieldsView.member(each)?.type === 'array')
  const read = fieldsView.member(name ?? '')?.element
  const own = read && (idMemberOf('stage', read) ?? memberNamed(read.members, ['stage', 'statusid', 'status']))
  if (name === undefined || !read || own === undefined || !isJsonObject(list) || typeof list.items !== 'string') {
    return undefined
  }
  const { fields } = draftFields({ resource: 'stage', read, write: undefined, stages: undefined })
  const [, within = ''] = /\[\]\.?([^[\]]*)$/.exec(list.items) ?? []
  const pipeline = String((isJsonObject(id) ? id.at : id) ?? 'id')
  const items = `${list.items}.${joined(inside, name)}[]`
  const stages: JsonObject = {
    path: value.path ?? '',
    record: { id: read.member(own)?.type === 'integer' ? { at: escaped(own), type: 'integer' } : escaped(own) },
    verbs: { list: { ...list, items, up: { pipeline_id: within === '' ? pipeline : `${within}.${pipeline}` } } },
    fields: { ...fields, pipeline_id: 'pipeline_id' },
  }
  return { value: stages, context, methods: [] }
}
