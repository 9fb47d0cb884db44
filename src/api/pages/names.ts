const ODD_SIZES: ReadonlySet<number> = new Set([12, 15, 16, 24, 32, 36, 48, 64, 128, 256, 512, 1024])

/** Members whose value is the address of the next page. Names are in lower case without separators: see Member. */
export const ADDRESS_NAMES: ReadonlySet<string> = new Set(
  'nexturl nextlink nexthref nexturi nextpageurl nextpagelink nextpageuri odatanextlink nextrecordsurl'.split(' '),
)

/** Members whose value is a cursor, a token, or the number of the next page. */
export const CURSOR_NAMES: ReadonlySet<string> = new Set(
  (
    'nextcursor cursornext nextpagecursor nextpagetoken nexttoken continuationtoken continuation nextcontinuationtoken ' +
    'nextmarker nextkey nextpage nextpageno nextpagenumber nextoffset nextstart nextskip nextafter scrollid bookmark endcursor aftercursor'
  ).split(' '),
)

export const MORE_NAMES: ReadonlySet<string> = new Set(
  (
    'hasmore hasnext hasnextpage morerecords moreitems moreitemsincollection moreavailable moreresult istruncated truncated moreresults ' +
    'hasmoreitems hasmorepages hasmoreresults hasmorerecords hasmoredata incompleteresults'
  ).split(' '),
)

/** Booleans that mark the last page. */
export const LAST_PAGE_NAMES: ReadonlySet<string> = new Set(
  'done last islast lastpage islastpage endoflist exhausted finished end isend'.split(' '),
)

/** The number of records in the whole list. */
export const TOTAL_NAMES: ReadonlySet<string> = new Set(
  (
    'total totalcount totalresults totalelements totalitems totalrecords totalsize totalentries totalhits totalrows ' +
    'recordstotal filtercount odatacount xtotalcount xtotal xwptotal xtotalitems xtotalrecords xpaginationtotalcount totaldocs numfound'
  ).split(' '),
)

/** The length of this page or of the whole list, depending on the server: shows that there is more, but not the end. */
export const COUNT_NAMES: ReadonlySet<string> = new Set(
  'count itemcount recordcount recordscount resultcount resultscount xcount paginationcount found matched matches'.split(
    ' ',
  ),
)

/** Names of the number of records behind a page. */
export const REMAINING_NAMES: ReadonlySet<string> = new Set(
  (
    'remaining remainingcount remainingitems remainingitem remainingrecords remainingrecord remainingresults remainingresult ' +
    'remainingitemcount remainingitemscount remainingrecordcount remainingrecordscount remainingresultcount ' +
    'remainingresultscount itemsremaining recordsremaining resultsremaining left itemsleft recordsleft resultsleft'
  ).split(' '),
)

export const PAGES_NAMES: ReadonlySet<string> = new Set(
  'totalpages pagecount pages numpages lastpage maxnumpages maxpages maxpage totalpage nbpages xtotalpages xpages xwptotalpages xpaginationpagecount pagetotal'.split(
    ' ',
  ),
)

export const PAGE_NAMES: ReadonlySet<string> = new Set(
  'page currentpage pagenumber pageindex pageno number xpage xcurrentpage xpaginationcurrentpage'.split(' '),
)

/** The number of records before this page. */
export const OFFSET_NAMES: ReadonlySet<string> = new Set('offset skip start startat startindex from xoffset'.split(' '))

/** Parameters for the page number, most common first. */
export const PAGE_NUMBER_PARAMETERS = [
  'page',
  'page[number]',
  'pageNumber',
  'page_number',
  '_page',
  'pageNo',
  'page_no',
  'pageIndex',
  'page_index',
  'pageNum',
  'page_num',
  'Page',
  'paged',
  'current',
  'pagination[page]',
  'searchCriteria[currentPage]',
  'currentPage',
  'current_page',
  'p',
  'pg',
] as const

/** Parameters for the number of records before a page. */
export const OFFSET_PARAMETERS = [
  'offset',
  'skip',
  'start',
  '$skip',
  'page[offset]',
  'startAt',
  'start_at',
  'startIndex',
  'start_index',
  'from',
  '_start',
  '_offset',
  'pagination[start]',
  '_skip',
  'startRow',
  'first_result',
  'firstResult',
  'SkipCount',
  'limit_start',
  'paging.offset',
] as const

/** Parameters for a cursor when the answer does not name one. */
export const CURSOR_PARAMETERS = [
  'cursor',
  'page_token',
  'pageToken',
  'after',
  'starting_after',
  'next_token',
  'pagination_token',
  'page',
  'offset',
  'next',
  'token',
  'page[after]',
  'page[cursor]',
  '_cursor',
  'continuation',
  'marker',
  'start_cursor',
] as const

/** Parameters for the id of the last record. */
export const LAST_ID_PARAMETERS = [
  'starting_after',
  'after',
  'after_id',
  'since_id',
  'last_id',
  'startingAfter',
] as const

/** Parameters for an id that the answer states as the last one. */
export const GIVEN_ID_PARAMETERS = [...LAST_ID_PARAMETERS, 'min_id', 'since'] as const

/** Parameters for the page size. */
export const SIZE_PARAMETERS = [
  'limit',
  'per_page',
  'page_size',
  'pageSize',
  'page[size]',
  'size',
  'count',
  '_limit',
  '_per_page',
  'max_results',
  'first',
  '$top',
  'max',
  'rows',
  'MaxResultCount',
  'limit_page_length',
  'paging.limit',
  'searchCriteria[pageSize]',
] as const

/** Whether this is a common page size: a multiple of 10 or 25, a power of two, or dozens. No server is known with a maximum below ten. */
export function isPageSize(count: number): boolean {
  return count >= 10 && (count % 10 === 0 || count % 25 === 0 || ODD_SIZES.has(count))
}
