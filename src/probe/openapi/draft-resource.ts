import { defined, isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { CREATED_NAMES, foldedName, isIdOf, isLinkTo, memberNamed, nameFit, UPDATED_NAMES } from '../names.ts'
import type { Chosen, Drafting } from './collections.ts'
import { draftFields, nameParts, timeForm } from './draft-fields.ts'
import { draftFilters, draftFind, draftList, draftSelect, neededQuery } from './draft-reads.ts'
import { addRequired, decideUnread, draftWrite, keepToCreate } from './draft-writes.ts'
import { addNestedFields, recordLeaves } from './nested-fields.ts'
import { askOf, hasSlot, PARENTS, parameterIn, pathMember, segmentsOf, textOf, variableName } from './paths.ts'
import type { ApiMethod } from './read-description.ts'
import { escaped, idMemberOf, joined, recordIn } from './record-places.ts'
import { contextOf, type ResourceContext } from './resource-context.ts'
import type { SchemaView } from './schemas.ts'

export interface DraftResource {
  readonly value: JsonObject
  readonly methods: readonly ApiMethod[]
  readonly context: ResourceContext
}

export function draftResource(drafting: Drafting, chosen: Chosen): DraftResource {
  const context = contextOf(drafting, chosen)
  const { resource, record, fieldsView, writeView, variables, made, inside } = context
  // Parameters of the path that are the same for all records.
  for (const [name, slot] of context.collection.slots) {
    if (slot.type === 'variable' || slot.type === 'foreign') {
      variables[variableName(name)] = { ask: slot.type === 'variable' ? slot.ask : name }
    }
  }
  const { operations, path, methods } = draftOperations(context)
  const stages = made.get('stage')?.value
  const hasStages = objectOf(stages?.verbs).list !== undefined && stages?.parent === undefined
  const members = { resource, read: fieldsView, write: writeView, hasStages }
  const { parts, whole } = resource === 'contact' ? nameParts(members, context) : {}
  const { fields, mapped } = draftFields(members, parts)
  if (operations.create !== undefined) keepToCreate(fields, context)
  const { parent, operations: changed, dropped } = draftParent(context, operations)
  for (const name of dropped) delete fields[name]
  addNestedFields(fields, context)
  const { filters, ...verbs } = changed
  decideUnread(fields, verbs, context)
  if (fields.email === undefined) delete verbs.find
  const value: JsonObject = {
    ...defined({ path, parent }),
    record: { id: idOf(context), ...timesOf(record, context), ...(inside !== '.' && { inside }) },
    ...readOnlyOf(context, { mapped, whole }),
    ...draftSelect(context, verbs),
    verbs,
    ...defined({ filters }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
  addRequired(verbs, mapped, context)
  return { value, methods, context }
}

const USUAL = { list: 'get', get: 'get', create: 'post', update: 'patch', delete: 'delete' } as const

type Name = keyof typeof USUAL

function draftOperations(context: ResourceContext): {
  readonly operations: JsonObject
  /** Of the resource. */
  readonly path: string
  readonly methods: readonly ApiMethod[]
} {
  const { resource, offered, collection, decide } = context
  const isListOnly = RESOURCES[resource].operations.length === 0 || resource === 'stage'
  const names = (isListOnly ? ['list'] : Object.keys(USUAL)) as readonly Name[]
  const found = names.flatMap((name) => {
    const method = name === 'update' ? offered.updates[0] : offered[name]
    return method ? [{ name, method, text: pathOf(method, context) }] : []
  })
  const path = textOf(collection.path.replace(/(?:\.json)?\/?$/i, ''), collection)
  const operations: JsonObject = {}
  for (const { name, method, text } of found) {
    const parts = partsOf(name, method, context)
    const query = { ...neededQuery(name, method, context), ...objectOf(parts.query) }
    operations[name] = {
      ...(method.method !== USUAL[name] && { method: method.method.toUpperCase() }),
      ...pathMember(name, text, path),
      ...parts,
      ...(Object.keys(query).length > 0 && { query }),
    }
  }
  const methods = found.map(({ method }) => method)
  if (!offered.list) {
    const lacks = `the document has no request that lists ${RESOURCES[resource].plural}: list: { path: ..., items: ... }`
    const recent = offered.recent ? `; ${offered.recent.path} shows recent ones alone` : ''
    decide('', `${lacks}, or they are found by id alone${recent}`)
  }
  const more = isListOnly ? {} : defined({ find: draftFind(context, path), filters: draftFilters(context) })
  return { operations: { ...operations, ...more }, path, methods }
}

/** An operation of the other collection has the slots of that one. */
function pathOf(method: ApiMethod, { collection, other, offered, variables, decide }: ResourceContext): string {
  const view = parameterIn(segmentsOf(method.path).at(-1))
  if (method === offered.list && method.method === 'get' && method.path !== collection.path && view !== undefined) {
    variables[variableName(view)] = {
      ask: askOf(view, method.parameters.find(({ name }) => name === view)?.description),
    }
    decide('.verbs.list', `is ${method.path} the list, with one {${view}} for all, asked for at login?`)
    return textOf(method.path, collection).replace('{id}', `{${variableName(view)}}`)
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
    const text = `the member with the id of a ${singular} was not found; id is assumed: --field ${id}=PATH`
    decide('.record.id', text, {
      id,
      ask: 'Which member is the id?',
      choices: leaves.slice(0, 20).map(({ path }) => path),
    })
    return 'id'
  }
  const at = answer ?? escaped(name ?? 'id')
  if (view?.type === 'object' && view.members.size > 0) {
    const names = [...view.members.keys()]
    const own = names.find((each) => isIdOf(resource, each) || foldedName(each) === 'recordid')
    return `${at}.${escaped(own ?? names.at(-1) ?? 'id')}`
  }
  return view?.type === 'integer' || view?.type === 'number' ? { at, type: 'integer' } : at
}

function timesOf(record: SchemaView, { fieldsView, inside }: ResourceContext): JsonObject {
  const time = (names: readonly string[]): JsonValue | undefined => {
    const places = [record, fieldsView].flatMap((view, index) => {
      const name = memberNamed(view.members, names)
      const member = view.member(name ?? '')
      const isTime = name !== undefined && member && member.type !== 'object' && member.type !== 'boolean'
      return isTime ? [{ at: joined(index === 0 ? '.' : inside, name), as: timeForm(member) }] : []
    })
    const [first] = places
    return first?.as === undefined ? first?.at : defined(first)
  }
  return defined({ created_at: time(CREATED_NAMES), updated_at: time(UPDATED_NAMES) })
}

/** Members of answers that no body has. */
function readOnlyOf(
  { fieldsView, writeView, inside, record, idMember, resource }: ResourceContext,
  { mapped, whole }: { readonly mapped: ReadonlySet<string>; readonly whole: string | undefined },
): JsonObject {
  if (!writeView || RESOURCES[resource].operations.length === 0) return {}
  const system = [CREATED_NAMES, UPDATED_NAMES].map((names) => memberNamed(record.members, names))
  // Without members of its own, or with others beside them, their names are the user's.
  const isFree = fieldsView.members.size === 0 || fieldsView.isOpen
  const names = [...fieldsView.members.keys()].filter((name) => {
    if (mapped.has(name) || (inside === '.' && name === idMember) || system.includes(name)) return false
    return name === whole || fieldsView.member(name)?.isReadOnly || (!writeView.members.has(name) && !isFree)
  })
  return names.length > 0 ? { read_only: names } : {}
}

/** Stages as a list within each pipeline; undefined if pipelines have none. */
export function stagesInPipelines({ value, context }: DraftResource): DraftResource | undefined {
  const { fieldsView, inside } = context
  const { path = '' } = value
  const { list } = objectOf(value.verbs)
  const { id } = objectOf(value.record)
  const isNamed = (name: string) => nameFit('stage', name) > 0 || foldedName(name) === 'statuses'
  const name = [...fieldsView.members.keys()].find((each) => isNamed(each) && fieldsView.member(each)?.type === 'array')
  const view = fieldsView.member(name ?? '')?.element
  const own = view && (idMemberOf('stage', view) ?? memberNamed(view.members, ['stage', 'statusid', 'status']))
  if (name === undefined || !view || own === undefined || !isJsonObject(list) || typeof list.items !== 'string')
    return undefined
  const { pipeline_id: _, ...fields } = draftFields({
    resource: 'stage',
    read: view,
    write: undefined,
    hasStages: false,
  }).fields
  const [, within = ''] = /\[\]\.?([^[\]]*)$/.exec(list.items) ?? []
  const pipeline = String((isJsonObject(id) ? id.at : id) ?? 'id')
  const items = `${list.items}.${joined(inside, name)}[]`
  const made: JsonObject = {
    path,
    record: { id: view.member(own)?.type === 'integer' ? { at: escaped(own), type: 'integer' } : escaped(own) },
    verbs: { list: { ...list, items, up: { pipeline_id: within === '' ? pipeline : `${within}.${pipeline}` } } },
    fields: { ...fields, pipeline_id: 'pipeline_id' },
  }
  return { value: made, context, methods: [] }
}

interface DraftParent {
  /** The plural of the resource whose records these belong to. */
  readonly parent: string | undefined
  readonly operations: JsonObject
  /** Fields that the parent gives. */
  readonly dropped: readonly string[]
}

/** Notes belong to deals, and stages to pipelines: by their path, or by a parameter and a member with the id of the parent. */
function draftParent(context: ResourceContext, operations: JsonObject): DraftParent {
  const { resource, collection, offered, record, writeView, decide, decisions, made } = context
  const none = { parent: undefined, operations, dropped: [] }
  const parent = PARENTS[resource]
  if (!parent) return none
  const { plural } = RESOURCES[parent]
  if (hasSlot(collection, 'parent')) return { parent: plural, operations, dropped: ['pipeline_id'] }
  if (resource !== 'note') return none
  if (!made.has(parent)) {
    decide('.parent', `crm keeps notes with a deal, and the draft lacks ${plural}`)
    return none
  }
  const named = decisions.answer('notes.parent')
  const isLink = (name: string) => (named === undefined ? isLinkTo(parent, name) : name === named)
  const parameter = offered.list?.parameters.find(({ name, in: place }) => place === 'query' && isLink(name))
  const member = [...record.members.keys()].find(isLink)
  const written = [...(writeView?.members.keys() ?? [])].find(isLink)
  if (!parameter && member === undefined) return { ...none, ...anyParent(context, operations) }
  const linked = parameter
    ? { query: { [parameter.name]: '{parent}' } }
    : { keep: { [escaped(member ?? '')]: '{parent}' } }
  const set = written === undefined ? undefined : { [written]: '{parent}' }
  return { parent: plural, operations: withLink(operations, linked, set), dropped: [] }
}

const ANY_IDS = ['parentrecordid', 'parentid', 'entityid', 'recordid', 'objectid', 'targetid', 'relatedid', 'subjectid']
const ANY_KINDS = ['object', 'type'].flatMap((word) =>
  ['parent', 'entity', 'object', 'record', 'target'].map((of) => of + word),
)

/** A note of a record of any kind: two members name the kind and the record. */
function anyParent(
  { offered, writeView, decide }: ResourceContext,
  operations: JsonObject,
): Omit<DraftParent, 'dropped'> {
  const ofQuery = (offered.list?.parameters ?? []).filter((each) => each.in === 'query')
  const parameters = new Map(ofQuery.map((each) => [each.name, each]))
  const [idName, kindName] = [ANY_IDS, ANY_KINDS].map((names) => memberNamed(parameters, names))
  if (idName === undefined || kindName === undefined) {
    const lacks = 'neither a parameter of the list nor a member of a note is the id of one'
    decide('.parent', `crm keeps notes with a deal, and ${lacks}: parent: deals, and where its id goes`)
    return { parent: undefined, operations }
  }
  const { plural } = RESOURCES.deal
  const [id, kind] = [ANY_IDS, ANY_KINDS].map((names) => writeView && memberNamed(writeView.members, names))
  const values = [...(parameters.get(kindName)?.schema.values ?? []), ...(writeView?.member(kind ?? '')?.values ?? [])]
  const named = values.find((each) => typeof each === 'string' && nameFit('deal', each) > 0)
  if (named === undefined)
    decide('.verbs.list', `the document does not say what ${kindName} is for a deal; ${plural} is assumed`)
  const value = named ?? plural
  const set = id === undefined ? undefined : { ...(kind !== undefined && { [kind]: value }), [id]: '{parent}' }
  const linked = { query: { [kindName]: value, [idName]: '{parent}' } }
  return { parent: plural, operations: withLink(operations, linked, set) }
}

function withLink(
  { list, create, ...others }: JsonObject,
  linked: JsonObject,
  set: JsonObject | undefined,
): JsonObject {
  const { query, ...more } = linked
  const asked = { ...objectOf(objectOf(list).query), ...objectOf(query) }
  return {
    list: { ...objectOf(list), ...more, ...(Object.keys(asked).length > 0 && { query: asked }) },
    ...defined({ create: create && { ...objectOf(create), ...(set && { set }) } }),
    ...others,
  }
}
