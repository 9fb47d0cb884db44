import { CrmError } from '../core/errors.ts'
import type { ListQuery, Page } from './api.ts'
import { type Call, cannot } from './call.ts'
import { ADDRESS_HINT } from './failure.ts'
import type { Http } from './http.ts'
import { oneLine } from './one-line.ts'
import { type PageAnswer, readPage } from './page-answer.ts'

/** The parameters that paging itself sends; a filter of the same name would fight with it. */
const PAGING_PARAMETERS = ['limit', 'cursor']

export type ListCall = Pick<Call, 'path' | 'action' | 'command' | 'findCommand'>

export interface PageLimits {
  /** At most this many records in one request; undefined leaves that to the server. */
  readonly pageSize: number | undefined
}

/** The pages of a list in the server's order, each asked for only when the one before it was taken. */
export async function* listPages(
  http: Http,
  list: ListCall,
  query: ListQuery,
  { pageSize }: PageLimits,
): AsyncGenerator<Page, void, undefined> {
  refusePagingFilters(query.filters)
  const seen = new Set<string>(query.cursor === undefined ? [] : [query.cursor])
  let remaining = query.limit ?? Number.POSITIVE_INFINITY
  let position: Record<string, string> = query.cursor === undefined ? {} : { cursor: query.cursor }
  while (remaining > 0) {
    const limit = pageSize === undefined ? {} : { limit: String(Math.min(remaining, pageSize)) }
    const call: Call = { ...list, method: 'GET', query: { ...query.filters, ...limit, ...position } }
    const { items, next } = await requestPage(http, call)
    if (next) {
      if (seen.has(next.cursor)) throw badPage(call, `the cursor ${oneLine(next.cursor, 60)} comes a second time`)
      seen.add(next.cursor)
      position = { [next.parameter]: next.cursor }
    }
    // Behind a page that was cut, the cursor would skip the records that were left out.
    if (items.length > remaining) yield { items: items.slice(0, remaining), nextCursor: undefined }
    else yield { items, nextCursor: next?.cursor }
    if (!next) return
    remaining -= items.length
  }
}

async function requestPage(http: Http, call: Call): Promise<PageAnswer> {
  const page = readPage(await http.request(call))
  if (typeof page === 'string') throw badPage(call, page)
  return page
}

function badPage(call: Call, reason: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint: ADDRESS_HINT })
}

function refusePagingFilters(filters: ListQuery['filters']): void {
  const name = PAGING_PARAMETERS.find((parameter) => Object.hasOwn(filters, parameter))
  if (name === undefined) return
  throw new CrmError('invalid_input', `${name} is no filter: it belongs to paging`, {
    hint: 'use --limit for the number of records',
  })
}
