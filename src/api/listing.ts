import { idText } from '../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { ListOperation } from './connectors/document.ts'
import type { Exchange } from './connectors/exchange.ts'
import type { ListedReferences } from './connectors/references.ts'
import type { ResourceRules } from './connectors/resource-rules.ts'
import { otherShown, shownAt } from './connectors/shown-at.ts'
import type { ListQuery, Page } from './operations.ts'
import type { ListCall, PageLimits } from './pages/page-requests.ts'
import { listPages, walkPages } from './pages/pages.ts'
import type { Http } from './transport/http.ts'

/** What reading records of one resource needs. */
export interface ReadScope {
  readonly http: Http
  readonly rules: ResourceRules
  readonly exchange: Exchange
  readonly references: ListedReferences
}

type Pages = AsyncIterable<Page>

/** The pages of a list in crm's names, by declared paging or by what the answers show. */
export async function* listRecords(
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
  const { DeclaredWalk } = await import('./pages/declared-walk.ts')
  const list = {
    paging,
    call: (...page: [Parameters<ResourceRules['pageRequest']>[0], number | undefined]) =>
      exchange.call(rules.pageRequest(...page, { ...known, filters }), call),
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
  const settled = await http.settle({ ...request, isProbe: true })
  if (!('answer' in settled)) {
    if (settled.error.code === 'not_found') return undefined
    throw settled.error
  }
  const shown = shownAt(rules, id, { call: request, answer: settled.answer })
  return shown && 'server' in shown ? { record: rules.map.read(shown.server, references) } : shown
}

/** The plural of the resource's parent, and the member that names one. */
export function parentMember(parent: Resource): string {
  return `${RESOURCES[parent].singular}_id`
}
