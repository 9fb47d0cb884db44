import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import type { Wire } from '../core/wire.ts'
import type { ListQuery, Page } from './api.ts'
import { type Call, cannot } from './call.ts'
import { ADDRESS_HINT } from './failure.ts'
import type { Http } from './http.ts'
import { oneLine } from './one-line.ts'
import { type PageAnswer, readPage } from './page-answer.ts'
import { type Position, parsePosition, positionText } from './position.ts'

export type ListCall = Pick<Call, 'path' | 'action' | 'command' | 'findCommand'>

export type PageLimits = Pick<Wire, 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'> & {
  /** At most this many records in one request; undefined leaves that to the server. */
  readonly pageSize: number | undefined
}

/** A server that filters behind its paging has some of them; one that goes on and on would be asked for ever. */
const MOST_EMPTY_PAGES = 100

const ITEMS_HINT = 'crm doctor finds out where they are, or: crm config set wire.items_path data.contacts -p PROFILE'
const NEXT_HINT = 'crm doctor finds out how, or: crm config set wire.next_path meta.next -p PROFILE'
const WHOLE_HINT =
  'if that is all: crm config set wire.limit_param none -p PROFILE; else name the way on in wire.next_path'

/** The pages of a list in the server's order, each asked for only when the one before it was taken. */
export async function* listPages(
  http: Http,
  list: ListCall,
  query: ListQuery,
  limits: PageLimits,
): AsyncGenerator<Page, void, undefined> {
  refusePagingFilters(query.filters, limits)
  const { cursorParam } = limits
  const seen = new Set<string>()
  let emptyPages = 0
  let remaining = query.limit ?? Number.POSITIVE_INFINITY
  let position = query.cursor === undefined ? undefined : parsePosition(query.cursor, http.origin, cursorParam)
  if (position) seen.add(positionText(position, cursorParam))
  while (remaining > 0) {
    const { items, next } = await requestPage(http, list, { query, limits, position, remaining }, seen)
    emptyPages = items.length > 0 ? 0 : emptyPages + 1
    if (next && emptyPages === MOST_EMPTY_PAGES) {
      const reason = `${MOST_EMPTY_PAGES} pages in a row are empty, and each says that there are more`
      throw badPage(list, reason, ADDRESS_HINT)
    }
    // Behind a page that was cut, the cursor would skip the records that were left out.
    const isCut = items.length > remaining
    if (isCut) yield { items: items.slice(0, remaining), nextCursor: undefined, isCut }
    else yield { items, nextCursor: next && positionText(next, cursorParam) }
    if (!next) return
    position = next
    remaining -= items.length
  }
}

interface PageRequest {
  readonly query: ListQuery
  readonly limits: PageLimits
  /** Undefined at the start of the list. */
  readonly position: Position | undefined
  readonly remaining: number
}

/** One page, after which the list goes on or ends for good; `seen` holds where it has been. */
async function requestPage(http: Http, list: ListCall, request: PageRequest, seen: Set<string>): Promise<PageAnswer> {
  const { query, limits, position, remaining } = request
  const size = limits.limitParam === undefined ? undefined : limits.pageSize
  const asked = size === undefined ? undefined : Math.min(remaining, size)
  const call = pageCall(list, request, asked)
  const url = http.locate(call)
  seen.add(`?${url.pathname}${url.search}`)
  const answer = await http.request(call)
  const page = readPage(answer, url, limits)
  if (typeof page === 'string') {
    const isNoList = page.startsWith('expected a list') && isJsonObject(answer.json)
    throw badPage(call, page, isNoList ? ITEMS_HINT : ADDRESS_HINT)
  }
  const { items, next } = page
  if (!next && !position && items.length < remaining) refuseDoubtfulEnd(call, page, asked)
  if (next && items.length <= remaining) {
    refuseRepeated(call, positionText(next, limits.cursorParam), seen)
    if ('parameter' in next) refusePagingFilters(query.filters, { ...limits, cursorParam: next.parameter })
  }
  return page
}

function pageCall(list: ListCall, { query, limits, position }: PageRequest, asked: number | undefined): Call {
  const { signal } = query
  const limit = asked === undefined ? {} : { [limits.limitParam ?? '']: String(asked) }
  // As it is, with the size that stands in it: the third page of 50 is not where the third page of 100 is.
  if (position && 'address' in position) return { ...list, signal, method: 'GET', address: position.address }
  const start = position ? { [position.parameter]: position.cursor } : {}
  return { ...list, signal, method: 'GET', query: { ...query.filters, ...limit, ...start } }
}

function refuseRepeated(call: Call, text: string, seen: Set<string>): void {
  if (seen.has(text)) {
    const hint = 'if the server takes its cursor in another parameter: crm config set wire.cursor_param NAME -p PROFILE'
    throw badPage(call, `the cursor ${oneLine(text, 60)} comes a second time`, hint)
  }
  seen.add(text)
}

/** A list that looks whole and is not would be worse than none. */
function refuseDoubtfulEnd(call: Call, { items, isEndKnown, shortfall }: PageAnswer, asked: number | undefined): void {
  if (isEndKnown) return
  const reason = 'the list does not say how it goes on'
  if (shortfall !== undefined) throw badPage(call, `${reason}: ${shortfall}`, NEXT_HINT)
  if (items.length === asked)
    throw badPage(call, `${reason}, and its first page is as long as was asked for`, WHOLE_HINT)
}

function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** The parameters that paging itself sends; a filter of the same name would fight with it. */
function refusePagingFilters(filters: ListQuery['filters'], { limitParam, cursorParam = 'cursor' }: PageLimits): void {
  const name = [limitParam, cursorParam].find((parameter) => parameter && Object.hasOwn(filters, parameter))
  if (name === undefined) return
  throw new CrmError('invalid_input', `${name} is no filter: it belongs to paging`, {
    hint: 'use --limit for the number of records',
  })
}
