/** Where a value stands in an answer: the keys that lead to it. `*` is the only member that holds anything: see value-at.ts. */
export type Place = readonly string[]

/** Where records stand, the first that holds a list is taken. The empty place is the answer itself. */
export const ITEM_PLACES: readonly Place[] = [
  ['data'],
  ['results'],
  ['items'],
  ['records'],
  ['objects'],
  ['edges'],
  ['data', '*'],
  ['data', '*', 'edges'],
  [],
]

export interface NextShape {
  readonly next: Place
  /** Where the answer says whether there is more; `done` says the opposite. */
  readonly more?: Place
  readonly done?: Place
  /** The query parameter in which the cursor goes back; undefined where the value is the address of the next page. */
  readonly sentAs: string | undefined
}

/** How one kind of server says where the next page is. The first that the answer holds is taken. */
export const NEXT_SHAPES: readonly NextShape[] = [
  { next: ['next_cursor'], more: ['has_more'], sentAs: 'cursor' },
  { next: ['nextCursor'], more: ['hasMore'], sentAs: 'cursor' },
  { next: ['meta', 'next_cursor'], more: ['meta', 'has_more'], sentAs: 'cursor' },
  // Pipedrive.
  { next: ['additional_data', 'next_cursor'], sentAs: 'cursor' },
  { next: ['pagination', 'next_cursor'], more: ['pagination', 'has_more'], sentAs: 'cursor' },
  // HubSpot.
  { next: ['paging', 'next', 'after'], sentAs: 'after' },
  { next: ['paging', 'next', 'link'], sentAs: undefined },
  // Close.
  { next: ['cursor_next'], more: ['has_more'], sentAs: '_cursor' },
  // Twenty.
  { next: ['pageInfo', 'endCursor'], more: ['pageInfo', 'hasNextPage'], sentAs: 'starting_after' },
  {
    next: ['data', '*', 'pageInfo', 'endCursor'],
    more: ['data', '*', 'pageInfo', 'hasNextPage'],
    sentAs: 'starting_after',
  },
  { next: ['data', 'pageInfo', 'endCursor'], more: ['data', 'pageInfo', 'hasNextPage'], sentAs: 'starting_after' },
  // Salesforce.
  { next: ['nextRecordsUrl'], done: ['done'], sentAs: undefined },
  // JSON:API, which allows an object with the address in it, and HAL.
  { next: ['links', 'next', 'href'], sentAs: undefined },
  { next: ['links', 'next'], sentAs: undefined },
  { next: ['_links', 'next', 'href'], sentAs: undefined },
  { next: ['next', 'href'], sentAs: undefined },
  { next: ['next'], sentAs: undefined },
]

/** Without any of the above: there is more, and the last id leads to it (Stripe). */
export const MORE_PLACES: readonly Place[] = [
  ['has_more'],
  ['hasMore'],
  ['pageInfo', 'hasNextPage'],
  ['additional_data', 'pagination', 'more_items_in_collection'],
]
export const LAST_ID_PARAMETER = 'starting_after'

/** A server that numbers its pages from 1: which one this is, and how many there are. */
export const NUMBERED_PAGES: readonly { readonly page: Place; readonly pages: Place }[] = [
  // Laravel, alone and with resources.
  { page: ['current_page'], pages: ['last_page'] },
  { page: ['meta', 'current_page'], pages: ['meta', 'last_page'] },
  { page: ['meta', 'current_page'], pages: ['meta', 'total_pages'] },
  { page: ['meta', 'page'], pages: ['meta', 'total_pages'] },
  { page: ['page'], pages: ['total_pages'] },
  { page: ['page'], pages: ['totalPages'] },
  { page: ['pagination', 'page'], pages: ['pagination', 'total_pages'] },
  { page: ['pagination', 'current_page'], pages: ['pagination', 'total_pages'] },
]
export const PAGE_PARAMETER = 'page'

/** How many records, or how many pages, the whole list has: a list that ends short of that is not believed. */
export const RECORD_COUNTS: readonly Place[] = [
  ['total'],
  ['total_count'],
  ['totalCount'],
  ['total_results'],
  ['meta', 'total'],
  ['meta', 'total_count'],
  ['pagination', 'total'],
]
export const PAGE_COUNTS: readonly Place[] = [
  ['total_pages'],
  ['totalPages'],
  ['meta', 'total_pages'],
  ['last_page'],
  ['meta', 'last_page'],
  ['pagination', 'total_pages'],
]
