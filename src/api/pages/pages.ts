import { idText } from '../../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ListOperation } from '../connectors/document.ts'
import type { ListedReferences } from '../connectors/references.ts'
import type { Exchange } from '../connectors/resource-exchange.ts'
import type { ResourceRules } from '../connectors/resource-rules.ts'
import { otherShown, shownAt } from '../connectors/shown-at.ts'
import type { ListQuery, Page } from '../operations.ts'
import type { Http } from '../transport/http.ts'
import { ListWalk } from './list-walk.ts'
import { type ListCall, type PageLimits, refusePagingFilters } from './page-requests.ts'

/**
 * The pages of a list in the order of the server, each requested after the one before it was consumed. If the end of the
 * list is unknown: CrmError `bad_answer` after the last page. A list ended by `query.limit` is not checked.
 */
export async function* listPages(
  http: Http,
  list: ListCall,
  query: ListQuery,
  limits: PageLimits,
): AsyncGenerator<Page, void, undefined> {
  refusePagingFilters(query.filters, limits)
  yield* walkPages(new ListWalk(http, list, query, limits), query.limit)
}

/** Reads a list from page to page. */
interface Walk {
  first(remaining: number): Promise<{ readonly items: Page['items'] }>
  /** Undefined at the end of the list. */
  next(remaining: number): Promise<{ readonly items: Page['items'] } | undefined>
  readonly cursor: string | undefined
  readonly rest: Page['rest'] | undefined
}

/** The pages of a walk, of at most `limit` records; none is requested before the one ahead of it was consumed. */
export async function* walkPages(walk: Walk, limit: number | undefined): AsyncGenerator<Page, void, undefined> {
  let remaining = limit ?? Number.POSITIVE_INFINITY
  if (remaining <= 0) return
  let page: { readonly items: Page['items'] } | undefined = await walk.first(remaining)
  while (page) {
    const { items } = page
    // After a page cut by the limit, the cursor would skip the records that were left out.
    const isCut = items.length > remaining
    if (isCut) yield { items: items.slice(0, remaining), nextCursor: undefined, isCut }
    const { cursor } = walk
    const { rest } = walk
    if (!isCut) yield { items, nextCursor: cursor, ...(rest && { rest }) }
    remaining -= items.length
    if (remaining <= 0) return
    page = await walk.next(remaining)
    // The next page stated by the last one is empty.
    if (!page && cursor !== undefined) yield { items: [], nextCursor: undefined }
  }
}

/** What reading records of one resource needs. */
export interface ReadScope {
  readonly http: Http
  readonly rules: ResourceRules
  readonly exchange: Exchange
  readonly references: ListedReferences
}

type Pages = AsyncIterable<Page>

/** The pages of a list in crm's names, by declared paging or by what the answers show. */
export async function* recordPages(
  { http, rules, exchange, references }: ReadScope,
  call: Omit<ListCall, 'path'>,
  query: ListQuery,
  limits: PageLimits,
): AsyncGenerator<Page, void, undefined> {
  await references.load(rules.refs)
  const { paging } = rules
  const known = await exchange.known('list', undefined, query.signal)
  if (paging.by === 'detected') {
    const { method: _, body: __, ...request } = rules.request('list', known)
    const itemsPath = itemsPathOf(rules.operation('list') as ListOperation) ?? limits.itemsPath
    const detected = { ...limits, itemsPath, ...(paging.isSizeOmitted && { pageSize: undefined }) }
    const asked = { ...query, filters: rules.filters(query.filters) }
    const pages = listPages(http, { ...request, ...call }, asked, detected)
    const isListed = rules.listed(known)
    const read = (record: CrmRecord) => (isListed(record) ? rules.map.read(record, references) : [])
    yield* rules.isPlain ? pages : mapped(pages, read)
    return
  }
  const filters = rules.filters(query.filters)
  const { DeclaredWalk } = await import('./declared-walk.ts')
  const list = {
    paging,
    call: (...page: [Parameters<ResourceRules['pageRequest']>[0], number | undefined]) =>
      exchange.call(rules.pageRequest(...page, { ...known, filters }), { ...call, isJudged: true }),
    read: (answer: Parameters<ResourceRules['readPage']>[0]) => rules.readPage(answer, known, references),
  }
  yield* walkPages(new DeclaredWalk(http, list, query), query.limit)
}

/** `data.items` of `data.items[]`; undefined for records that are elsewhere, or in the answer itself. */
function itemsPathOf({ items = '' }: ListOperation): string | undefined {
  return /^([\w-]+(?:\.[\w-]+)*)\[\]$/.exec(items)?.[1]
}

async function* mapped(
  pages: Pages,
  map: (record: CrmRecord) => CrmRecord | readonly CrmRecord[],
): AsyncGenerator<Page, void, undefined> {
  for await (const page of pages) yield { ...page, items: page.items.flatMap(map) }
}

/** Of a server that lists the records of all parents: those of one. */
export async function* ofOneParent(pages: Pages, member: string, parentId: string): AsyncGenerator<Page> {
  for await (const page of pages) {
    yield { ...page, items: page.items.filter((record) => idText(record[member]) === parentId) }
  }
}

/** What the server shows under an id; undefined if there is nothing. */
export type ShownUnderId = { readonly record: CrmRecord } | { readonly otherId: string | undefined } | undefined

/** One record in crm's names; undefined if there is none. CrmError `bad_answer` for an answer that shows another one. */
export async function readRecord(scope: ReadScope, id: string, call: GetCall): Promise<CrmRecord | undefined> {
  const shown = await readShownAt(scope, id, call)
  if (shown && 'otherId' in shown) throw otherShown(call, shown.otherId)
  return shown?.record
}

type GetCall = Parameters<Exchange['call']>[1]

export async function readShownAt(
  { http, rules, exchange, references }: ReadScope,
  id: string,
  call: GetCall,
): Promise<ShownUnderId> {
  if (!rules.isId(id)) return undefined
  await references.load(rules.refs)
  const request = exchange.call(rules.request('get', await exchange.known('get', id, call.signal)), call)
  const settled = await http.settle({ ...request, isProbe: true, isJudged: true })
  if (!('answer' in settled)) {
    if (settled.error.code === 'not_found') return undefined
    throw settled.error
  }
  const shown = shownAt(rules, id, settled.answer)
  return shown && 'server' in shown ? { record: rules.map.read(shown.server, references) } : shown
}

/** The member that names the resource's parent: `deal_id`. */
export function parentMember(parent: Resource): string {
  return `${RESOURCES[parent].singular}_id`
}
