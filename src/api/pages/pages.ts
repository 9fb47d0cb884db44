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
