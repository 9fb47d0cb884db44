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
  {
    name: 'documents and a total that no parameter leads to (Appwrite, whose queries are expressions)',
    holds: 237,
    answer: (_asked, all) => ({ json: { total: all.length, documents: all.slice(0, 25) } }),
    right: { refused: [/total states 237 records, but the list has 25/] },
  },
]
