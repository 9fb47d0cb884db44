import { RESOURCES } from '../../core/resources/registry.ts'
import { fieldFit } from '../names.ts'
import { type Chosen, type Collection, type Drafting, itemPathsOf } from './collections.ts'
import type { Question } from './decisions.ts'
import { bareSegment, keyIn, parameterIn, segmentsOf } from './paths.ts'
import type { ApiDescription, ApiMethod, HttpMethod } from './read-description.ts'
import { idMemberOf, insideOf, itemsIn, recordIn, recordInBody } from './record-places.ts'
import type { SchemaView } from './schemas.ts'

type OfferedOperations = ReturnType<typeof offeredOf>

/** What the parts of a resource share. */
export type ResourceContext = ReturnType<typeof contextOf>

export function contextOf(drafting: Drafting, chosen: Chosen) {
  const { api, decisions } = drafting
  const { collection, other } = chosen
  const { resource } = collection
  const { schemas } = api
  const own = offeredOf(api, collection)
  const more = other ? offeredOf(api, other) : own
  const offered = {
    ...own,
    get: own.get ?? more.get,
    create: own.create ?? more.create,
    updates: own.updates.length > 0 ? own.updates : more.updates,
    delete: own.delete ?? more.delete,
  }
  const found = [offered.get, offered.create, ...offered.updates].flatMap(
    (method) => recordIn(resource, method?.answer)?.view ?? [],
  )
  // An answer with an id alone, such as that of a create, may name it otherwise than a record does.
  const isRecord = (view: SchemaView) => insideOf(resource, view) !== '.' || fieldFit(resource, view.members.keys()) > 0
  const single = found.some(isRecord) ? found.filter(isRecord) : found
  const items = itemsIn(resource, offered.list?.answer)?.view
  const [first = schemas.view(undefined), second] = items ? [items, ...single] : single
  const record = schemas.merged(first, second)
  const inside = insideOf(resource, record)
  const fieldsView = (inside === '.' ? undefined : record.member(inside)) ?? record
  const bodyOf = (method: ApiMethod | undefined) => {
    const view = method?.body && recordInBody(resource, method.body, { inside, fieldsView }).view
    return view && view.members.size > 0 ? view : undefined
  }
  const [createView, updateView] = [bodyOf(offered.create), bodyOf(offered.updates[0])]
  const writeView = createView ? schemas.merged(createView, updateView) : updateView
  const at = `objects.${RESOURCES[resource].plural}`
  return {
    ...drafting,
    ...chosen,
    resource,
    /** Of the object in the draft, such as `objects.contacts`. */
    at,
    /** Leaves a point open, of the object (an empty part) or of a part of it, such as `.verbs.list`. */
    decide: (part: '' | `.${string}`, text: string, question?: Question) => decisions.decide(at + part, text, question),
    offered,
    /** A record in answers, the member with its id, and the path and the object in it with its fields. */
    record,
    idMember: memberInPath(offered, record) ?? idMemberOf(resource, record),
    inside,
    fieldsView,
    /** The same of the bodies of create and update; what is required is of a create. Undefined if the document describes none. */
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
  const name = keyIn(segmentsOf((get ?? updates[0] ?? removal)?.path ?? '').at(-1))?.name
  return name !== undefined && members.has(name) ? name : undefined
}

/** The operations of the document on a collection. */
function offeredOf(api: ApiDescription, { path }: Collection) {
  const bare = path.replace(/\/$/, '').replace(/\.json$/i, '')
  const singular = singularPath(bare)
  const items = [bare, ...singular].flatMap((each) => itemPathsOf(api, each))
  const first = (paths: readonly string[], method: HttpMethod) =>
    paths.flatMap((each) => api.method(each, method) ?? [])[0]
  const below = (names: readonly string[], method: HttpMethod) =>
    first(
      names.map((name) => `${bare}/${name}`),
      method,
    )
  const listed = api.method(path, 'get')
  const own = listed && isRecent(listed) ? undefined : listed
  const queried = below(['query', 'search', 'list', '_search', 'filter'], 'post')
  // A list below a view, such as `/contacts/view/{view_id}`.
  const views = ['view', 'views', 'list', 'lists', 'filter'].flatMap((name) => itemPathsOf(api, `${bare}/${name}`))
  const updates = (['patch', 'put', 'post'] as const).flatMap((method) => first(items, method) ?? [])
  // A PATCH that adds to lists cannot take away: undo needs the PUT.
  const isAdding = updates[0]?.method === 'patch' && /\b(?:append|prepend)/i.test(updates[0].text)
  return {
    list: own ?? below(['list', 'all', 'search'], 'get') ?? queried ?? first(views, 'get'),
    get: first(items, 'get'),
    create: first([path, ...singular], 'post') ?? below(['create', 'new', 'add'], 'post'),
    /** The one to use first; others change the record in another way. */
    updates: isAdding ? updates.toSorted((one, other) => +(other.method === 'put') - +(one.method === 'put')) : updates,
    delete: first(items, 'delete'),
    search: below(['search', 'find', 'lookup'], 'get'),
  }
}

/** Shows the records that were used last, in place of a list. */
function isRecent({ answer, text }: ApiMethod): boolean {
  const lists = [...(answer?.members.keys() ?? [])].filter((name) => answer?.member(name)?.type === 'array')
  const isNamed = lists.length > 0 && lists.every((name) => /^recent/i.test(name))
  return isNamed || /\brecent(?:ly)?\b/i.test(text.split('\n')[0] ?? '')
}

/** `/contact` of `/contacts`. */
function singularPath(path: string): readonly string[] {
  const segments = segmentsOf(path)
  const last = bareSegment(segments.at(-1) ?? '')
  if (parameterIn(last) !== undefined || !last.endsWith('s')) return []
  return [`/${[...segments.slice(0, -1), last.replace(/ies$/, 'ys').slice(0, -1)].join('/')}`]
}
