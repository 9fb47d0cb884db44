import type { ApiDescription, ApiMethod } from './api-description.ts'
import { type Collection, itemPathsOf } from './collections.ts'
import { bareSegment, parameterIn, segmentsOf } from './path-parts.ts'

/** The operations of the document on a collection. */
export interface OfferedOperations {
  readonly list: ApiMethod | undefined
  /** Shows the records that were used last, in place of a list. */
  readonly recent: ApiMethod | undefined
  readonly get: ApiMethod | undefined
  readonly create: ApiMethod | undefined
  /** The one to use first; others change the record in another way. */
  readonly updates: readonly ApiMethod[]
  readonly delete: ApiMethod | undefined
  /** GET below the collection that search records, and POST likewise. */
  readonly searches: readonly ApiMethod[]
}

const QUERIES = ['query', 'search', 'list', '_search', 'filter']
const MAKERS = ['create', 'new', 'add']

export function offeredOf(api: ApiDescription, { path }: Collection): OfferedOperations {
  const bare = path.replace(/\/$/, '').replace(/\.json$/i, '')
  const singular = singularPath(bare)
  const item = [...itemPathsOf(api, bare), ...(singular === undefined ? [] : itemPathsOf(api, singular))]
  const onItem = (method: 'get' | 'patch' | 'put' | 'post' | 'delete') =>
    item.map((each) => api.method(each, method)).find((found) => found !== undefined)
  const below = (names: readonly string[], method: 'get' | 'post') =>
    names.flatMap((name) => api.method(`${bare}/${name}`, method) ?? [])
  const queries = below(QUERIES, 'post')
  const first = api.method(path, 'get')
  const own = first && isRecent(api, first) ? undefined : first
  const posted = api.method(path, 'post') ?? (singular === undefined ? undefined : api.method(singular, 'post'))
  const updates = [onItem('patch'), onItem('put'), onItem('post')].filter((method) => method !== undefined)
  return {
    list: own ?? below(['list', 'all', 'search'], 'get')[0] ?? queries[0] ?? viewOf(api, bare),
    recent: own === first ? undefined : first,
    get: onItem('get'),
    create: posted ?? below(MAKERS, 'post')[0],
    updates: preferred(updates),
    delete: onItem('delete'),
    searches: [...below(['search', 'find', 'lookup'], 'get'), ...queries],
  }
}

function isRecent({ schemas }: ApiDescription, { answer, text }: ApiMethod): boolean {
  if (/\brecent(?:ly)?\b/i.test(text.split('\n')[0] ?? '')) return true
  const lists = [...(answer?.members.keys() ?? [])].filter(
    (name) => answer && schemas.member(answer, name)?.type === 'array',
  )
  return lists.length > 0 && lists.every((name) => /^recent/i.test(name))
}

/** A list below a view, such as `/contacts/view/{view_id}`. */
function viewOf(api: ApiDescription, path: string): ApiMethod | undefined {
  const views = ['view', 'views', 'list', 'lists', 'filter'].flatMap((name) => itemPathsOf(api, `${path}/${name}`))
  return views.map((view) => api.method(view, 'get')).find((method) => method !== undefined)
}

/** A PATCH that adds to lists cannot take away: undo needs the PUT. */
function preferred(updates: readonly ApiMethod[]): readonly ApiMethod[] {
  const [first, second] = updates
  const isAdding = first?.method === 'patch' && /\b(?:append|prepend)/i.test(first.text)
  return isAdding && second?.method === 'put' ? [second, first, ...updates.slice(2)] : updates
}

/** `/contact` of `/contacts`. */
function singularPath(path: string): string | undefined {
  const segments = segmentsOf(path)
  const last = bareSegment(segments.at(-1) ?? '')
  if (parameterIn(last) !== undefined || !last.endsWith('s')) return undefined
  const singular = last.endsWith('ies') ? `${last.slice(0, -3)}y` : last.slice(0, -1)
  return `/${[...segments.slice(0, -1), singular].join('/')}`
}
