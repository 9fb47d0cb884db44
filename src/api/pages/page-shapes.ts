import type { Wire } from '../../core/wire.ts'
/** What the settings say about the shape of lists; undefined leaves it to the recognisers. */
export type PageWire = Pick<Wire, 'paging' | 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'> & {
  /** Its first answer showed that its pages are numbered from 0. */
  readonly isFromZero?: boolean
  /** A hint has led to the next page, in `cursorParam`. */
  readonly isHintProven?: boolean
}

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
  // Spring Data, OData, HAL and others.
  ['content'],
  ['value'],
  ['_embedded', '*'],
  ['rows'],
  ['entries'],
  ['result'],
  ['list'],
  ['docs'],
  ['nodes'],
  ['response', '*'],
  // Mailchimp and Slack; FHIR; Appwrite and Firestore; Nimble, and SCIM; API Platform; Chatwoot.
  ['members'],
  ['entry'],
  ['documents'],
  ['resources'],
  ['Resources'],
  ['member'],
  ['hydra:member'],
  ['payload'],
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
  // Intercom, whose `pages.next` may hold the number of the page too.
  { next: ['pages', 'next', 'starting_after'], sentAs: 'starting_after' },
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
  // HubSpot v1, and Kubernetes.
  { next: ['vid-offset'], more: ['has-more'], sentAs: 'vidOffset' },
  { next: ['metadata', 'continue'], sentAs: 'continue' },
  // JSON:API, which allows an object with the address in it, and HAL.
  { next: ['links', 'next', 'href'], sentAs: undefined },
  { next: ['links', 'next'], sentAs: undefined },
  { next: ['_links', 'next', 'href'], sentAs: undefined },
  // Confluence.
  { next: ['_links', 'next'], sentAs: undefined },
  { next: ['next', 'href'], sentAs: undefined },
  { next: ['next'], sentAs: undefined },
  // Zoho, whose pages are numbered unless it gives a token.
  { next: ['info', 'next_page_token'], more: ['info', 'more_records'], sentAs: 'page_token' },
  // Zendesk.
  { next: ['meta', 'after_cursor'], more: ['meta', 'has_more'], sentAs: 'page[after]' },
  // Facebook, and Twitch, whose cursor is that of the next page.
  { next: ['paging', 'cursors', 'after'], sentAs: 'after' },
  { next: ['pagination', 'cursor'], sentAs: 'after' },
  // Slack.
  { next: ['response_metadata', 'next_cursor'], sentAs: 'cursor' },
]

/** Without any of the above: there is more, and the last id leads to it (Stripe). */
export const MORE_PLACES: readonly Place[] = [
  ['has_more'],
  ['hasMore'],
  ['pageInfo', 'hasNextPage'],
  ['additional_data', 'pagination', 'more_items_in_collection'],
]
export const LAST_ID_PARAMETER = 'starting_after'

/** A server that numbers its pages: which one this is, and how many there are. */
export interface NumberedPages {
  readonly page: Place
  readonly pages: Place
  /** Of the first page; undefined where the first answer shows it. */
  readonly base?: 0
}

export const NUMBERED_PAGES: readonly NumberedPages[] = [
  // Laravel, alone and with resources.
  { page: ['current_page'], pages: ['last_page'] },
  { page: ['meta', 'current_page'], pages: ['meta', 'last_page'] },
  { page: ['meta', 'current_page'], pages: ['meta', 'total_pages'] },
  { page: ['meta', 'page'], pages: ['meta', 'total_pages'] },
  { page: ['page'], pages: ['total_pages'] },
  { page: ['page'], pages: ['totalPages'] },
  { page: ['page'], pages: ['pages'] },
  { page: ['pagination', 'page'], pages: ['pagination', 'total_pages'] },
  { page: ['pagination', 'page'], pages: ['pagination', 'totalPages'] },
  { page: ['pagination', 'page'], pages: ['pagination', 'pages'] },
  { page: ['pagination', 'current_page'], pages: ['pagination', 'total_pages'] },
  { page: ['pagination', 'currentPage'], pages: ['pagination', 'totalPages'] },
  { page: ['meta', 'currentPage'], pages: ['meta', 'totalPages'] },
  { page: ['meta', 'page'], pages: ['meta', 'totalPages'] },
  { page: ['currentPage'], pages: ['totalPages'] },
  { page: ['current_page'], pages: ['total_pages'] },
  // Fractal, and Strapi.
  { page: ['meta', 'pagination', 'current_page'], pages: ['meta', 'pagination', 'total_pages'] },
  { page: ['meta', 'pagination', 'page'], pages: ['meta', 'pagination', 'pageCount'] },
  // Spring Data, as it is, in its stable form, and with HATEOAS.
  { page: ['number'], pages: ['totalPages'], base: 0 },
  { page: ['page', 'number'], pages: ['page', 'totalPages'], base: 0 },
]
export const PAGE_PARAMETER = 'page'
