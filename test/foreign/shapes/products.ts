import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

type Records = Parameters<ListShape['answer']>[1]

function product(name: string, answer: (asked: Asked, all: Records) => Answered, counts = [7, 20, 237]) {
  return counts.map((holds): ListShape => ({ name: `${name}, and ${holds} records`, holds, answer, right: 'complete' }))
}

function fhir(asked: Asked, all: Records, isCounted: boolean) {
  const [start, size] = [numberIn(asked, '_getpagesoffset', 0), sizeIn(asked, '_count', 20, 100)]
  const { items, next } = sliceAt(all, start, size)
  const link = [{ relation: 'self', url: `${asked.origin}/v1/contacts` }]
  const url = `${asked.origin}/v1/contacts?_getpagesoffset=${next}&_count=${size}`
  if (next !== undefined) link.push({ relation: 'next', url })
  const entry = items.map((each) => ({ resource: { resourceType: 'Person', ...each }, search: { mode: 'match' } }))
  const bundle = { resourceType: 'Bundle', type: 'searchset', link, ...(isCounted && { total: all.length }) }
  return { json: items.length > 0 ? { ...bundle, entry } : { ...bundle, total: 0 } }
}

/** Answers as these products document them, which need no setting. */
export const PRODUCTS: readonly ListShape[] = [
  ...product('a FHIR Bundle', (asked, all) => fhir(asked, all, true), [0, 7, 20, 237]),
  ...product('a FHIR Bundle without a total', (asked, all) => fhir(asked, all, false)),
  ...product('members and total_items (Mailchimp)', (asked, all) => {
    const { items } = sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'count', 10, 1000))
    const _links = [{ rel: 'self', href: `${asked.origin}/v1/contacts`, method: 'GET' }]
    return { json: { members: items, list_id: 'a', total_items: all.length, _links } }
  }),
  ...product('documents and nextPageToken (Firestore)', (asked, all) => {
    const { items, next } = sliceAt(all, numberIn(asked, 'pageToken', 0), sizeIn(asked, 'pageSize', 20, 300))
    return { json: { documents: items, ...(next !== undefined && { nextPageToken: `${next}` }) } }
  }),
  ...product('hits with document, and found (Typesense)', (asked, all) => {
    const { items } = pageAt(all, numberIn(asked, 'page', 1), sizeIn(asked, 'per_page', 10, 250))
    const hits = items.map((document) => ({ document, highlights: [], text_match: 100 }))
    return { json: { facet_counts: [], found: all.length, page: numberIn(asked, 'page', 1), out_of: all.length, hits } }
  }),
  ...product('Resources and startIndex (SCIM)', (asked, all) => {
    const startIndex = numberIn(asked, 'startIndex', 1)
    const { items } = sliceAt(all, startIndex - 1, sizeIn(asked, 'count', 100))
    return { json: { totalResults: all.length, startIndex, itemsPerPage: items.length, Resources: items } }
  }),
  ...product('_links.next below _links.base (Confluence)', (asked, all) => {
    const { items, next } = sliceAt(all, numberIn(asked, 'start', 0), sizeIn(asked, 'limit', 25, 100))
    const more =
      next === undefined ? {} : { next: `/v1/contacts?limit=${sizeIn(asked, 'limit', 25, 100)}&start=${next}` }
    return { json: { results: items, _links: { base: `${asked.origin}/wiki`, context: '/wiki', ...more } } }
  }),
  ...product('currentPage from the query, as a string (Express)', (asked, all) => {
    const { items } = pageAt(all, numberIn(asked, 'page', 1), sizeIn(asked, 'limit', 10, 1000))
    const totalPages = Math.ceil(all.length / sizeIn(asked, 'limit', 10, 1000))
    return { json: { contacts: items, totalPages, currentPage: asked.query.get('page') ?? 1 } }
  }),
  ...product(
    'end_cursor beside has_next_page (Kit)',
    (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'after', 0), sizeIn(asked, 'per_page', 50, 1000))
      const end = numberIn(asked, 'after', 0) + items.length
      const pagination = { has_previous_page: false, has_next_page: next !== undefined, end_cursor: `${end}` }
      return { json: { contacts: items, pagination } }
    },
    [7, 50, 237],
  ),
  ...product(
    'nextPageToken and moreResult (Marketo)',
    (asked, all) => {
      const { items, next } = sliceAt(all, Number(asked.query.get('nextPageToken')?.slice(1) ?? 0), 50)
      const more = next === undefined ? {} : { nextPageToken: `t${next}` }
      return { json: { requestId: 'e42b#1', result: items, success: true, moreResult: next !== undefined, ...more } }
    },
    [7, 50, 237],
  ),
  ...product('X-Pagination-Page-Count (Yii)', (asked, all) => {
    const pages = Math.ceil(all.length / 20)
    const page = Math.min(numberIn(asked, 'page', 1), pages)
    const headers = {
      'x-pagination-total-count': `${all.length}`,
      'x-pagination-page-count': `${pages}`,
      'x-pagination-current-page': `${page}`,
      'x-pagination-per-page': '20',
    }
    return { json: pageAt(all, page, 20).items, headers }
  }),
  ...product(
    'a Link header with results="false" (Sentry)',
    (asked, all) => {
      const start = numberIn(asked, 'cursor', 0)
      const { items, next } = sliceAt(all, start, 100)
      const to = (cursor: number) => `<${asked.origin}/v1/contacts?cursor=${cursor}>`
      const previous = `${to(0)}; rel="previous"; results="${start > 0}"; cursor="0"`
      const link = `${previous}, ${to(start + 100)}; rel="next"; results="${next !== undefined}"; cursor="${start + 100}"`
      return { json: items, headers: { link } }
    },
    [7, 100, 237],
  ),
  ...['hits', 'values', 'elements', 'Items', 'Documents', 'Results', '_items'].flatMap((name) =>
    product(`records in ${name}`, (asked, all) => {
      const { items } = sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 20, 100))
      return { json: { [name]: items, total: all.length } }
    }),
  ),
  ...product('records in d.results (OData 2)', (asked, all) => {
    const { items, next } = sliceAt(all, numberIn(asked, '$skip', 0), 20)
    const __next = next === undefined ? {} : { __next: `${asked.origin}/v1/contacts?$skip=${next}` }
    return { json: { d: { results: items, ...__next, __count: `${all.length}` } } }
  }),
  ...product('nextPageUrl relative to the root, which has no list (AdonisJS)', (asked, all) => {
    if (asked.path === '/') return { status: 404, json: { message: 'E_ROUTE_NOT_FOUND: Cannot GET:/' } }
    const currentPage = numberIn(asked, 'page', 1)
    const { items, next } = pageAt(all, currentPage, 20)
    const lastPage = Math.max(1, Math.ceil(all.length / 20))
    const nextPageUrl = next === undefined ? null : `/?page=${currentPage + 1}`
    return { json: { meta: { total: all.length, perPage: 20, currentPage, lastPage, nextPageUrl }, data: items } }
  }),
  ...product('search_criteria and total_count (Magento)', (asked, all) => {
    const size = sizeIn(asked, 'searchCriteria[pageSize]', 20, 300)
    const last = Math.max(1, Math.ceil(all.length / size))
    const page = Math.min(numberIn(asked, 'searchCriteria[currentPage]', 1), last)
    const search_criteria = { filter_groups: [], page_size: size, current_page: page }
    return { json: { items: pageAt(all, page, size).items, search_criteria, total_count: all.length } }
  }),
  ...product(
    'response.docs and numFound (Solr)',
    (asked, all) => {
      const start = numberIn(asked, 'start', 0)
      const docs = sliceAt(all, start, sizeIn(asked, 'rows', 10, 1000)).items
      const responseHeader = { status: 0, QTime: 3 }
      return { json: { responseHeader, response: { numFound: all.length, start, numFoundExact: true, docs } } }
    },
    [0, 7, 10, 20, 237],
  ),
  ...product(
    'SkipCount and MaxResultCount (ABP)',
    (asked, all) => {
      const size = sizeIn(asked, 'MaxResultCount', 10, 1000)
      return { json: { totalCount: all.length, items: sliceAt(all, numberIn(asked, 'SkipCount', 0), size).items } }
    },
    [7, 10, 20, 237],
  ),
  ...product('limit_start and limit_page_length (Frappe)', (asked, all) => {
    const size = sizeIn(asked, 'limit_page_length', 20, 1000)
    return { json: { data: sliceAt(all, numberIn(asked, 'limit_start', 0), size).items } }
  }),
  ...product(
    'paging.offset and paging.limit (Wix)',
    (asked, all) => {
      const offset = numberIn(asked, 'paging.offset', 0)
      const { items } = sliceAt(all, offset, sizeIn(asked, 'paging.limit', 50, 1000))
      return { json: { contacts: items, pagingMetadata: { count: items.length, offset, tooManyToCount: false } } }
    },
    [7, 20, 50, 237],
  ),
  ...product('_start with _end (react-admin)', (asked, all) => {
    const isRange = asked.query.has('_start') && asked.query.has('_end')
    const [start, end] = isRange ? [numberIn(asked, '_start', 0), numberIn(asked, '_end', 20)] : [0, 20]
    return { json: all.slice(start, end) }
  }),
  ...product(
    '404 in place of an empty page, and pages from 0 (Dolibarr)',
    (asked, all) => {
      const { items } = pageAt(all, numberIn(asked, 'page', 0), sizeIn(asked, 'limit', 20, 20), 0)
      const error = { code: 404, message: 'Not Found: No contact found' }
      return items.length > 0 ? { json: items } : { status: 404, json: { error } }
    },
    [7, 20, 40, 237],
  ),
  ...product(
    'meta.result_count of 0 without data (Twitter)',
    (asked, all) => {
      const { items, next } = sliceAt(all, Number(asked.query.get('pagination_token')?.slice(1) ?? 0), 10)
      if (items.length === 0) return { json: { meta: { result_count: 0 } } }
      const more = next === undefined ? {} : { next_token: `t${next}` }
      return { json: { data: items, meta: { result_count: items.length, ...more } } }
    },
    [0, 7, 20, 37],
  ),
  ...product(
    'hits.hits[]._source (Elasticsearch)',
    (asked, all) => {
      const { items } = sliceAt(all, numberIn(asked, 'from', 0), sizeIn(asked, 'size', 10, 10_000))
      const hits = items.map(({ id, ...source }) => ({ _index: 'c', _id: id, _score: 1, _source: { ...source, id } }))
      const shards = { total: 5, successful: 5, skipped: 0, failed: 0 }
      const total = { value: all.length, relation: 'eq' }
      return { json: { took: 2, timed_out: false, _shards: shards, hits: { total, max_score: 1, hits } } }
    },
    [0, 7, 10, 237],
  ),
  ...product(
    'Items with typed members (DynamoDB)',
    (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'ExclusiveStartKey', 0), 200)
      const Items = items.map((each) => Object.fromEntries(Object.entries(each).map(([name, S]) => [name, { S }])))
      const more = next === undefined ? {} : { LastEvaluatedKey: `${next}` }
      return { json: { Items, Count: Items.length, ScannedCount: Items.length, ...more } }
    },
    [0, 7],
  ),
  ...product(
    'contacts as an object by id, and total as a text (Mautic)',
    (asked, all) => {
      const { items } = sliceAt(all, numberIn(asked, 'start', 0), sizeIn(asked, 'limit', 30, 1000))
      const contacts = Object.fromEntries(items.map((each) => [each.id, each]))
      return { json: { total: `${all.length}`, contacts: items.length > 0 ? contacts : [] } }
    },
    [0, 7, 30, 237],
  ),
  ...product(
    'QueryResponse.Customer (QuickBooks)',
    (_asked, all) => {
      const QueryResponse = { Customer: all, startPosition: 1, maxResults: all.length }
      return { json: { QueryResponse, time: '2026-01-01T00:00:00.000-08:00' } }
    },
    [7],
  ),
  {
    name: 'documents and a total that no parameter leads to (Appwrite, whose queries are expressions)',
    holds: 237,
    answer: (_asked, all) => ({ json: { total: all.length, documents: all.slice(0, 25) } }),
    right: 'refused',
  },
]
