import type { Wire } from '../../core/wire.ts'
/** Settings for the shape of lists; undefined members are recognised. */
export type PageWire = Pick<Wire, 'paging' | 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'> & {
  /** Its first answer showed that its pages are numbered from 0. */
  readonly isFromZero?: boolean
  /** A hint has led to the next page, with `cursorParam`. */
  readonly isHintProven?: boolean
}

/** The path of a value in an answer. `*` is the only member that is a list or an object: see valueAt. */
export type AnswerPath = readonly string[]

/** Places of records; the first that is a list is used. The empty place is the answer itself. */
export const ITEM_PLACES: readonly AnswerPath[] = [
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
  // The usual names in a $facet of MongoDB.
  ['paginatedResults'],
  ['paginatedResult'],
  [],
]

/** Names that may also mean something else: a list of objects, if there is none in another place. */
export const LATER_ITEM_PLACES: readonly AnswerPath[] = [
  ['hits'],
  // Elasticsearch; QuickBooks.
  ['hits', 'hits'],
  ['QueryResponse', '*'],
  ['values'],
  ['elements'],
  ['Items'],
  ['Documents'],
  ['Results'],
  ['_items'],
  ['d', 'results'],
]

export interface NextShape {
  readonly next: AnswerPath
  /** The member that states whether there is more; `done` states the opposite. */
  readonly more?: AnswerPath
  readonly done?: AnswerPath
  /** The query parameter for the cursor; undefined if the value is the address of the next page. */
  readonly sentAs: string | undefined
}

/** How servers state the next page. The first shape that the answer has is used. */
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
  // Intercom, whose `pages.next` may also contain the page number.
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
  // JSON:API, which allows an object with the address, and HAL.
  { next: ['links', 'next', 'href'], sentAs: undefined },
  { next: ['links', 'next'], sentAs: undefined },
  { next: ['_links', 'next', 'href'], sentAs: undefined },
  // Confluence.
  { next: ['_links', 'next'], sentAs: undefined },
  { next: ['next', 'href'], sentAs: undefined },
  { next: ['next'], sentAs: undefined },
  // Zoho, whose pages are numbered unless it sends a token.
  { next: ['info', 'next_page_token'], more: ['info', 'more_records'], sentAs: 'page_token' },
  // Zendesk.
  { next: ['meta', 'after_cursor'], more: ['meta', 'has_more'], sentAs: 'page[after]' },
  // Facebook, and Twitch, whose cursor is that of the next page.
  { next: ['paging', 'cursors', 'after'], sentAs: 'after' },
  { next: ['pagination', 'cursor'], sentAs: 'after' },
  // Slack.
  { next: ['response_metadata', 'next_cursor'], sentAs: 'cursor' },
]

/** Without any of the above: there is more, and the last id is the cursor (Stripe). */
export const MORE_PLACES: readonly AnswerPath[] = [
  ['has_more'],
  ['hasMore'],
  ['pageInfo', 'hasNextPage'],
  ['additional_data', 'pagination', 'more_items_in_collection'],
]
export const LAST_ID_PARAMETER = 'starting_after'

/** Members with the number of this page, and the number of pages. */
export interface NumberedPages {
  readonly page: AnswerPath
  readonly pages: AnswerPath
  /** The number of the first page; undefined if the first answer shows it. */
  readonly base?: 0
}

export const NUMBERED_PAGES: readonly NumberedPages[] = [
  // Laravel, plain and with API resources.
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
  // Spring Data: direct, stable and HATEOAS serialization.
  { page: ['number'], pages: ['totalPages'], base: 0 },
  { page: ['page', 'number'], pages: ['page', 'totalPages'], base: 0 },
]
export const PAGE_PARAMETER = 'page'
