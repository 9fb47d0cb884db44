import { idText } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Connector } from '../connectors/connector.ts'
import { type ListedReferences, NO_REFERENCES } from '../connectors/references.ts'
import type { Exchange } from '../connectors/resource-exchange.ts'
import type { ResourceRules } from '../connectors/resource-rules.ts'
import { otherShown, shownAt } from '../connectors/shown-at.ts'
import type { LinkedRecords } from '../links/linked-records.ts'
import type { ListQuery, Page } from '../operations.ts'
import type { Call } from '../transport/call.ts'
import type { Http } from '../transport/http.ts'
import { type DeclaredList, DeclaredWalk } from './declared-walk.ts'

/** Reads a list from page to page. */
interface Walk {
  first(remaining: number): Promise<{ readonly items: Page['items'] }>
  /** Undefined at the end of the list. */
  next(remaining: number): Promise<{ readonly items: Page['items'] } | undefined>
  readonly cursor: string | undefined
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
    if (!isCut) yield { items, nextCursor: cursor }
    remaining -= items.length
    if (remaining <= 0) return
    page = await walk.next(remaining)
    // The next page stated by the last one is empty.
    if (!page && cursor !== undefined) yield { items: [], nextCursor: undefined }
  }
}

/** What reading records of one resource needs. */
export interface ReadScope {
  readonly connector: Pick<Connector, 'mismatchHint'>
  readonly http: Http
  readonly rules: ResourceRules
  readonly exchange: Exchange
  readonly references: ListedReferences
  readonly linked: LinkedRecords | undefined
}

type ListCall = Pick<Call, 'action' | 'command' | 'findCommand'>

/**
 * The pages of a list in crm's names and in the order of the server, each requested after the one before it was consumed. CrmError
 * `bad_answer` for what contradicts the connector. A list ended by `query.limit` is not checked.
 */
export async function* recordPages(
  { http, rules, exchange, references, connector, linked }: ReadScope,
  call: ListCall,
  query: ListQuery,
): AsyncGenerator<Page, void, undefined> {
  await references.load(rules.refs)
  const known = await exchange.known('list', undefined, query.signal)
  const filters = rules.filters(query.filters)
  const list = {
    mismatchHint: connector.mismatchHint,
    paging: rules.paging,
    call: (...page: [Parameters<ResourceRules['pageRequest']>[0], number | undefined]) =>
      exchange.call(rules.pageRequest(...page, { ...known, filters }), { ...call, isJudged: true }),
    read: (answer: Parameters<ResourceRules['readPage']>[0]) => rules.readPage(answer, known, references),
  }
  const pages = walkPages(new DeclaredWalk(http, list, query), query.limit)
  if (!linked) return yield* pages
  for await (const page of pages) yield { ...page, items: await linked.withLinks(page.items) }
}

/** The pages of the list at a path: the server's own records, read as the connector reads lists there. */
export function pathPages(
  http: Http,
  connector: Connector,
  {
    path,
    query,
    ...texts
  }: ListCall & { readonly path: string; readonly query: ListQuery & { readonly size?: number } },
): AsyncGenerator<Page, void, undefined> {
  const rules = connector.listAt(path)
  const { filters, size: asked } = query
  const { size } = rules.paging
  const { errors } = connector
  const list = {
    mismatchHint: connector.mismatchHint,
    paging: asked === undefined || !size ? rules.paging : { ...rules.paging, size: { ...size, max: asked } },
    call: (...[start, count]: Parameters<DeclaredList['call']>) => {
      const { body: _, ...request } = rules.pageRequest(start, count, { filters })
      return { ...texts, ...request, ...(errors && { errors }), isJudged: true } as const
    },
    read: (answer: Parameters<ResourceRules['readPage']>[0]) => rules.readPage(answer, {}, NO_REFERENCES),
  }
  return walkPages(new DeclaredWalk(http, list, query), query.limit)
}

/** The member that names the parent, and its id. */
export interface NamedParent {
  readonly member: string
  readonly id: string
  /** Not so for stages. */
  readonly isShown: boolean
}

/** Each with the id of its parent. `isOfAll`: the server lists the records of all parents. */
export async function* pagesOfParent(
  pages: AsyncIterable<Page>,
  named: NamedParent,
  isOfAll: boolean,
): AsyncGenerator<Page> {
  const isOwn = (record: CrmRecord) => !isOfAll || idText(record[named.member]) === named.id
  for await (const page of pages) {
    yield { ...page, items: page.items.filter(isOwn).map((record) => withMember(record, named)) }
  }
}

export function withMember(record: CrmRecord, named: NamedParent | undefined): CrmRecord {
  if (!named?.isShown || (record[named.member] ?? null) !== null) return record
  return { ...record, [named.member]: named.id }
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
  { http, rules, exchange, references, linked }: ReadScope,
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
  if (!shown || !('server' in shown)) return shown
  const record = rules.map.read(shown.server, references)
  const [whole = record] = (await linked?.withLinks([record])) ?? []
  return { record: whole }
}
