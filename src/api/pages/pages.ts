import type { ListQuery, Page } from '../operations.ts'
import type { Http } from '../transport/http.ts'
import { ListWalk } from './list-walk.ts'
import type { PageAnswer } from './page-answer.ts'
import type { ListCall, PageLimits } from './page-errors.ts'
import { refusePagingFilters } from './page-errors.ts'

/**
 * The pages of a list in the server's order, each asked for only when the one before it was taken. It ends only where the
 * end is known; CrmError `bad_answer` behind the last page where it is not. A list that `query.limit` ended is not judged.
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
    // Behind a page that was cut, the cursor would skip the records that were left out.
    const isCut = items.length > remaining
    if (isCut) yield { items: items.slice(0, remaining), nextCursor: undefined, isCut }
    const { cursor } = walk
    const { rest } = walk
    if (!isCut) yield { items, nextCursor: cursor, ...(rest && { rest }) }
    remaining -= items.length
    if (remaining <= 0) return
    page = await walk.next(remaining)
    // The next page that the last one named is empty.
    if (!page && cursor !== undefined) yield { items: [], nextCursor: undefined }
  }
}
