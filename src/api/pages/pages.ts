import type { ListQuery, Page } from '../operations.ts'
import type { Http } from '../transport/http.ts'
import { ListWalk } from './list-walk.ts'
import type { PageAnswer } from './page-answer.ts'
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
  let remaining = query.limit ?? Number.POSITIVE_INFINITY
  if (remaining <= 0) return
  const walk = new ListWalk(http, list, query, limits)
  let page: PageAnswer | undefined = await walk.first(remaining)
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
