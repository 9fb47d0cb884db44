import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ApiDescription, ApiMethod } from './api-description.ts'
import type { Collection } from './collections.ts'
import type { Decisions } from './decisions.ts'
import { type OfferedOperations, offeredOf } from './offered.ts'
import { keyIn, parameterIn, segmentsOf } from './path-parts.ts'
import { escaped, idMemberOf, RecordFinder } from './record-places.ts'
import { mergedView, type SchemaView } from './schemas.ts'
import { fieldFit } from './server-names.ts'

export interface ResourceRequest {
  readonly api: ApiDescription
  readonly decisions: Decisions
  readonly collection: Collection
  /** Another collection of the same records, for the operations that the first one lacks. */
  readonly other: Collection | undefined
  readonly hasStages: boolean
  /** Resources that the draft has. */
  readonly made: ReadonlySet<Resource>
  readonly variables: JsonObject
}

/** What the parts of a draft share. */
export interface ResourceContext extends ResourceRequest {
  readonly resource: Resource
  /** Of the resource in the draft. */
  readonly at: readonly string[]
  readonly offered: OfferedOperations
  readonly finder: RecordFinder
  /** A record in answers. */
  readonly record: SchemaView
  /** The member with the id of a record. */
  readonly idMember: string | undefined
  /** A path from the record on. */
  readonly inside: string
  /** The object at `inside`. */
  readonly fieldsView: SchemaView
  /** The same of the bodies of create and update; what is required is of a create. Undefined if the document describes none. */
  readonly writeView: SchemaView | undefined
  readonly createView: SchemaView | undefined
  readonly updateView: SchemaView | undefined
}

export function contextOf(request: ResourceRequest): ResourceContext {
  const { api, collection, other } = request
  const { resource } = collection
  const offered = withOther(offeredOf(api, collection), other && offeredOf(api, other))
  const finder = new RecordFinder(api.schemas, resource)
  const found = [offered.get, offered.create, ...offered.updates].flatMap((method) => {
    const place = method?.answer && finder.record(method.answer)
    return place ? [place.view] : []
  })
  // An answer with an id alone, such as that of a create, may name it otherwise than a record does.
  const isRecord = (view: SchemaView) => finder.inside(view) !== '.' || fieldFit(resource, view.members.keys()) > 0
  const single = found.some(isRecord) ? found.filter(isRecord) : found
  const items = offered.list?.answer && finder.items(offered.list.answer)?.view
  const [first, ...more] = [...(items ? [items] : []), ...single]
  const record = more.slice(0, 1).reduce((all, view) => mergedView(all, view), first ?? api.schemas.view(undefined))
  const inside = finder.inside(record)
  const fieldsView = (inside === '.' ? undefined : api.schemas.member(record, inside)) ?? record
  const bodyOf = (method: ApiMethod | undefined) => {
    const view = method?.body && finder.body(method.body, inside).view
    return view && view.members.size > 0 ? view : undefined
  }
  const [createView, updateView] = [bodyOf(offered.create), bodyOf(offered.updates[0])]
  const writeView = createView ? mergedView(createView, updateView) : updateView
  const idMember = memberInPath(offered, record) ?? idMemberOf(resource, record)
  const at = ['resources', RESOURCES[resource].plural]
  return {
    ...request,
    resource,
    at,
    offered,
    finder,
    record,
    idMember,
    inside: escapedInside(inside),
    fieldsView,
    writeView,
    createView,
    updateView,
  }
}

/** The member that has the name of the parameter in the path of one record: `uid` of `/people/{uid}`. */
function memberInPath(
  { get, updates, delete: removal }: OfferedOperations,
  { members }: SchemaView,
): string | undefined {
  const single = [get, ...updates, removal].find((method) => method !== undefined)
  const last = segmentsOf(single?.path ?? '').at(-1)
  const name = parameterIn(last) ?? keyIn(last)
  return name !== undefined && members.has(name) ? name : undefined
}

function escapedInside(inside: string): string {
  return inside === '.' ? inside : escaped(inside)
}

function withOther(one: OfferedOperations, other: OfferedOperations | undefined): OfferedOperations {
  if (!other) return one
  return {
    ...one,
    get: one.get ?? other.get,
    create: one.create ?? other.create,
    updates: one.updates.length > 0 ? one.updates : other.updates,
    delete: one.delete ?? other.delete,
  }
}
