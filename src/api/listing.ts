import { idText } from '../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Exchange } from './connectors/exchange.ts'
import type { ListedReferences } from './connectors/references.ts'
import type { ResourceRules } from './connectors/resource-rules.ts'
import type { ListQuery, Page } from './operations.ts'
import { badPage, type ListCall, type PageLimits } from './pages/page-requests.ts'
import { listPages, walkPages } from './pages/pages.ts'
import type { Http } from './transport/http.ts'
import { ownId, readShown } from './writes/shown-record.ts'

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
    const detected = { ...limits, ...(paging.isSizeOmitted && { pageSize: undefined }) }
    const pages = listPages(http, { ...request, ...call }, query, detected)
    yield* rules.isPlain ? pages : mapped(pages, (record) => rules.map.read(record, references))
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

async function* mapped(pages: Pages, map: (record: CrmRecord) => CrmRecord): AsyncGenerator<Page, void, undefined> {
  for await (const page of pages) yield { ...page, items: page.items.map(map) }
}

/** Of a server that lists the records of all parents: those of one. */
export async function* ofOneParent(pages: Pages, member: string, parentId: string): AsyncGenerator<Page> {
  for await (const page of pages) {
    yield { ...page, items: page.items.filter((record) => idText(record[member]) === parentId) }
  }
}

/** What the server shows under an id; undefined if there is nothing. */
export type Shown = { readonly record: CrmRecord } | { readonly otherId: string | undefined } | undefined

/** One record in crm's names; undefined if there is none. CrmError `bad_answer` for an answer that shows another one. */
export async function readRecord(scope: ReadScope, id: string, call: GetCall): Promise<CrmRecord | undefined> {
  const shown = await readShownAt(scope, id, call)
  if (shown && 'otherId' in shown) throw badPage(call, otherReason(shown.otherId), CHECK_HINT)
  return shown?.record
}

type GetCall = Parameters<Exchange['call']>[1]

export async function readShownAt(
  { http, rules, exchange, references }: ReadScope,
  id: string,
  call: GetCall,
): Promise<Shown> {
  await references.load(rules.refs)
  const request = exchange.call(rules.request('get', await exchange.known('get', id, call.signal)), call)
  const settled = await http.settle({ ...request, isProbe: true })
  if (!('answer' in settled)) {
    if (settled.error.code === 'not_found') return undefined
    throw settled.error
  }
  const { json } = settled.answer
  const isRecognised = rules.operation('get').record === undefined
  const server = isRecognised
    ? readShown(json, { sent: () => undefined, path: request.path })?.at(-1)
    : rules.serverRecord('get', json)
  if (server && rules.isDeleted(server)) return undefined
  const shown = server && (isRecognised ? ownId(server) : rules.map.idOf(server))
  if (!server || shown?.toLowerCase() !== id.toLowerCase()) return { otherId: shown }
  return { record: rules.map.read(server, references) }
}

export function otherReason(otherId: string | undefined): string {
  return otherId === undefined ? 'the answer shows no record' : `the answer shows ${otherId}`
}

const CHECK_HINT = 'crm connectors check compares the connector with the server'

/** The plural of the resource's parent, and the member that names one. */
export function parentMember(parent: Resource): string {
  return `${RESOURCES[parent].singular}_id`
}
