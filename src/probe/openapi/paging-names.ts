/** What servers call the parameters and members of paging: their names in lower case, with letters and digits alone. */
export const CURSORS = [
  ...[
    'cursor',
    'pagetoken',
    'nextpagetoken',
    'startcursor',
    'pagecursor',
    'after',
    'pageafter',
    'nextcursor',
    'startingafter',
    'startafterid',
  ],
  ...['continuationtoken', 'continuation', 'nexttoken', 'scrollid', 'startafter', 'paginationtoken', 'marker'],
]
export const OFFSETS = ['offset', 'skip', 'pageoffset', 'startindex', 'start', 'startat', 'from', 'firstresult']
export const PAGES = ['page', 'pagenumber', 'pagenum', 'pageno', 'p', 'currentpage', 'pageindex']
export const SIZES = [
  ...[
    'limit',
    'perpage',
    'pagesize',
    'pagelimit',
    'count',
    'maxresults',
    'size',
    'top',
    'take',
    'pagelength',
    'resultsperpage',
  ],
  ...['itemsperpage', 'recordsperpage', 'rows', 'max'],
]

export const NEXT_CURSORS = [
  ...['nextcursor', 'nextpagetoken', 'nexttoken', 'nextpagecursor', 'endcursor', 'startingafter', 'after', 'nextstart'],
  ...['continuationtoken', 'continuation', 'next', 'cursor', 'pagetoken', 'scrollid', 'paginationtoken'],
]
export const NEXT_URLS = [
  'next',
  'nexturl',
  'nextlink',
  'nextpageurl',
  'nextpage',
  'odatanextlink',
  'nextpagelink',
  'nextrecordsurl',
  'nextpageuri',
  'href',
]
export const MORES = [
  'hasmore',
  'hasnext',
  'hasnextpage',
  'moreitemsincollection',
  'morerecords',
  'more',
  'hasmoreitems',
]
export const TOTALS = ['total', 'totalcount', 'totalresults', 'totalitems', 'totalrecords', 'odatacount', 'totalsize']
/** Some servers count the records of the page with it. */
export const COUNT_NAME = 'count'
export const OF_ALL = /\b(?:total|overall|all|altogether|entire|match(?:es|ing)?|across)\b/i
export const OF_PAGE = /\b(?:page|returned|this (?:response|request|result|list)|current)\b/i
export const PAGE_COUNTS = [
  'totalpages',
  'maxpage',
  'pages',
  'pagecount',
  'lastpage',
  'totalpage',
  'pagescount',
  'numpages',
]
