import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, pageAt, type Slice, sizeIn, sliceAt } from './slice.ts'

/** Pages of 20 at addresses of the server's own making. */
function address(name: string, render: (slice: Slice, next: string | undefined, asked: Asked) => Answered): ListShape {
  return {
    name,
    holds: 45,
    answer: (asked, all) => {
      const slice = sliceAt(all, numberIn(asked, 'at', 0), 20)
      return render(slice, slice.next === undefined ? undefined : `contacts?at=${slice.next}`, asked)
    },
    right: 'complete',
  }
}

const whole = (next: string | undefined, { origin }: Asked) => (next === undefined ? null : `${origin}/v1/${next}`)

export const ADDRESSES: readonly ListShape[] = [
  address('pagination.nextUrl', ({ items }, next, asked) => ({
    json: { data: items, pagination: { nextUrl: whole(next, asked) } },
  })),
  address('a relative next that has no slash in front (RFC 3986)', ({ items }, next) => ({
    json: { results: items, next: next ?? null },
  })),
  address('a relative next in links.next', ({ items }, next) => ({
    json: { data: items, links: { next: next === undefined ? null : `./${next}` } },
  })),
  address('a relative Link header', ({ items }, next) => ({
    json: items,
    headers: next === undefined ? {} : { link: `<${next}>; rel="next"` },
  })),
  address('Link of GitHub: at the end there are only other relations', ({ items }, next) => ({
    json: items,
    headers: { link: next === undefined ? '</v1/contacts?at=0>; rel="first"' : `</v1/${next}>; rel="next"` },
  })),
  address('links of JSON:API without next at the end', ({ items }, next, asked) => ({
    json: {
      data: items,
      links: { self: asked.path, first: '/v1/contacts', ...(next === undefined ? {} : { next: whole(next, asked) }) },
    },
  })),
  address('_links of HAL, with the records in _embedded', ({ items }, next) => ({
    json: {
      _embedded: { contacts: items },
      _links: { self: { href: '/v1/contacts' }, ...(next && { next: { href: `/v1/${next}` } }) },
      total: 45,
    },
  })),
  address('Django REST framework', ({ items }, next, asked) => ({
    json: { count: 45, next: whole(next, asked), previous: null, results: items },
  })),
  address('@odata.nextLink of OData, gone at the end', ({ items }, next, asked) => ({
    json: { value: items, ...(next && { '@odata.nextLink': whole(next, asked) }) },
  })),
  address('nextRecordsUrl of Salesforce', ({ items }, next) => ({
    json: { totalSize: 45, done: !next, records: items, ...(next && { nextRecordsUrl: `/v1/${next}` }) },
  })),
  address('next_page that is an address, beside count (Zendesk)', ({ items }, next, asked) => ({
    json: { contacts: items, next_page: whole(next, asked), previous_page: null, count: 45 },
  })),
  address('next_page_url of Laravel', ({ items }, next, asked) => ({
    json: { data: items, next_page_url: whole(next, asked), per_page: 20, total: 45 },
  })),
  address('paging.next that is an address (Facebook)', ({ items }, next, asked) => ({
    json: { data: items, paging: { previous: null, ...(next && { next: whole(next, asked) }) } },
  })),
  {
    name: 'a next address that keeps the limit it was asked with',
    holds: 250,
    answer: (asked, all) => {
      const size = sizeIn(asked, 'limit', 20, 100)
      const page = numberIn(asked, 'page', 1)
      const { items, next } = pageAt(all, page, size)
      return { json: { items, next: next === undefined ? null : `?limit=${size}&page=${page + 1}` } }
    },
    right: 'complete',
  },
]
