import type { JsonObject } from '../../../src/core/json.ts'
import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, pageAt, type Slice, sizeIn, sliceAt } from './slice.ts'

type Render = (slice: Slice, page: number, asked: Asked) => Answered

/** Pages that are counted in `parameter`. */
function pages(name: string, render: Render, { parameter = 'page', base = 1, holds = 45, size = 20 } = {}): ListShape {
  return {
    name,
    holds,
    answer: (asked, all) => {
      const page = numberIn(asked, parameter, base)
      return render(pageAt(all, page, sizeIn(asked, 'per_page', size), base), page, asked)
    },
    right: 'complete',
  }
}

/** Records that are counted in `parameter`. */
function offsets(name: string, parameter: string, render: (slice: Slice, start: number) => Answered): ListShape {
  return {
    name,
    holds: 45,
    answer: (asked, all) => {
      const start = numberIn(asked, parameter, 0)
      return render(sliceAt(all, start, sizeIn(asked, 'limit', 20)), start)
    },
    right: 'complete',
  }
}

/** Behind the first answer a record stands in front of the others: the last of each page comes again. */
function shifting(
  name: string,
  holds: number,
  render: (asked: Asked, all: readonly JsonObject[]) => Answered,
): ListShape {
  return {
    name: `one is added to ${holds} (${name})`,
    holds,
    answer: (asked, all) => render(asked, asked.nth === 1 ? all : [{ id: 'con_new', name: 'New' }, ...all]),
    right: 'complete',
  }
}

/** Whether there are more, and nothing that leads to them. */
function hasMore(name: string) {
  return ({ items, next }: Slice): Answered => ({ json: { data: items, [name]: next !== undefined } })
}

export const NUMBERED: readonly ListShape[] = [
  pages('page and per_page, and answers that say nothing of it', ({ items }) => ({ json: { data: items } })),
  pages('pages that are counted from 0', ({ items }) => ({ json: { data: items } }), { base: 0 }),
  pages('pages that are counted from 0, and end with a full one', ({ items }) => ({ json: items }), {
    base: 0,
    holds: 40,
  }),
  pages('pages that end with a full one', ({ items }) => ({ json: { data: items } }), { holds: 40 }),
  pages('one full page of the usual size, and no second', ({ items }) => ({ json: { data: items } }), { holds: 20 }),
  pages('page[number]', ({ items }) => ({ json: { data: items } }), { parameter: 'page[number]' }),
  pages('pageNumber', ({ items }) => ({ json: { data: items } }), { parameter: 'pageNumber' }),
  pages('_page of json-server 0.17', ({ items }) => ({ json: items }), { parameter: '_page' }),
  pages('a page behind the last one that is a 404 (Django)', ({ items }) =>
    items.length === 0 ? { status: 404, json: { detail: 'Invalid page.' } } : { json: { results: items } },
  ),
  pages('a page behind the last one that is a 400', ({ items }) =>
    items.length === 0 ? { status: 400, json: { message: 'invalid page number' } } : { json: items },
  ),
  {
    name: 'a page behind the last one that is the last one again',
    holds: 45,
    answer: (asked, all) => ({
      json: { data: pageAt(all, Math.min(numberIn(asked, 'page', 1), 3), 20).items },
    }),
    right: 'complete',
  },
  pages('next_page that is a number, beside count', ({ items, next }, page) => ({
    json: { data: items, next_page: next === undefined ? null : page + 1, count: 45 },
  })),
  pages('next that is a number', ({ items, next }, page) => ({
    json: { data: items, next: next === undefined ? null : page + 1 },
  })),
  pages('info.more_records and info.page (Zoho)', ({ items, next }, page) => ({
    json: { data: items, info: { per_page: 20, count: items.length, page, more_records: next !== undefined } },
  })),
  pages('X-Total and X-Next-Page (GitLab)', ({ items, next }, page) => ({
    json: items,
    headers: { 'x-total': '45', 'x-page': String(page), 'x-next-page': next === undefined ? '' : String(page + 1) },
  })),
  pages('X-Total, X-Page and X-Total-Pages (kaminari)', ({ items }, page) => ({
    json: items,
    headers: { 'x-total': '45', 'x-page': String(page), 'x-total-pages': '3', 'x-per-page': '20' },
  })),
  pages('X-Total-Count, and nothing else', ({ items }) => ({ json: items, headers: { 'x-total-count': '45' } })),
  pages('X-WP-Total of WordPress, and 400 behind the last page', ({ items }) =>
    items.length === 0
      ? { status: 400, json: { code: 'rest_post_invalid_page_number', message: 'too far' } }
      : { json: items, headers: { 'x-wp-total': '45', 'x-wp-totalpages': '3' } },
  ),
  pages('X-Pagination of ASP.NET, JSON in a header', ({ items, next }, page) => ({
    json: items,
    headers: {
      'x-pagination': JSON.stringify({ TotalCount: 45, PageSize: 20, CurrentPage: page, HasNext: next !== undefined }),
    },
  })),
  pages('meta.current_page and meta.last_page (Laravel)', ({ items }, page) => ({
    json: { data: items, meta: { current_page: page, last_page: 3, per_page: 20, total: 45 } },
  })),
  pages(
    'last, number and totalPages (Spring Data)',
    ({ items, next }, page) => ({
      json: { content: items, last: next === undefined, number: page, size: 20, totalPages: 3, totalElements: 45 },
    }),
    { base: 0 },
  ),
  pages(
    'page.number and page.totalPages (Spring Data, the stable form)',
    ({ items }, page) => ({
      json: { content: items, page: { size: 20, number: page, totalElements: 45, totalPages: 3 } },
    }),
    { base: 0 },
  ),
  pages(
    'meta.pagination (Strapi)',
    ({ items }, page) => ({
      json: { data: items, meta: { pagination: { page, pageSize: 20, pageCount: 3, total: 45 } } },
    }),
    { parameter: 'pagination[page]' },
  ),
  pages('page and pages', ({ items }, page) => ({ json: { items, page, pages: 3, total: 45 } })),
  pages('a total in the body, and pages that are not named', ({ items }) => ({ json: { data: items, total: 45 } })),
  pages('a total that is a text', ({ items }) => ({ json: { data: items, meta: { total: '45' } } })),
  offsets('a bare list with offset', 'offset', ({ items }) => ({ json: items })),
  offsets('a bare list with skip', 'skip', ({ items }) => ({ json: items })),
  offsets('a bare list with start', 'start', ({ items }) => ({ json: items })),
  offsets('startAt and total (Jira)', 'startAt', ({ items }, start) => ({
    json: { startAt: start, maxResults: 20, total: 45, values: undefined, data: items },
  })),
  offsets('offset, limit and total in the body', 'offset', ({ items }, start) => ({
    json: { data: items, offset: start, limit: 20, total: 45 },
  })),
  offsets('206 and Content-Range', 'offset', ({ items, next }, start) => ({
    status: next === undefined ? 200 : 206,
    json: items,
    headers: { 'content-range': `items ${start}-${start + items.length - 1}/45` },
  })),
  offsets('206 and a Content-Range that does not know the total', 'offset', ({ items, next }, start) => ({
    status: next === undefined ? 200 : 206,
    json: items,
    headers: { 'content-range': `items ${start}-${start + items.length - 1}/*` },
  })),
  offsets('length and records of Odoo, with offset', 'offset', ({ items }) => ({
    json: { length: 45, records: items },
  })),
  ...[20, 25, 30].flatMap((size) => [
    pages(`has_more and page, in pages of ${size}`, hasMore('has_more'), { holds: 73, size }),
    pages(`has_more and page, counted from 0, in pages of ${size}`, hasMore('has_more'), { base: 0, holds: 73, size }),
  ]),
  pages('has_more and a full last page', hasMore('has_more'), { holds: 60 }),
  pages('hasNext and page', hasMore('hasNext'), { holds: 73 }),
  pages(
    'last: false and page, counted from 0',
    ({ items, next }) => ({ json: { content: items, last: next === undefined } }),
    { base: 0, holds: 73 },
  ),
  offsets('has_more and offset', 'offset', hasMore('has_more')),
  offsets('hasMore and skip', 'skip', hasMore('hasMore')),
  pages(
    'has_more wherever a page is full, and an empty page behind the last one',
    ({ items }) => ({
      json: { data: items, has_more: items.length === 20 },
    }),
    { holds: 60 },
  ),
  {
    name: 'startIndex that counts records from 1 (SCIM)',
    holds: 45,
    answer: (asked, all) => {
      const start = numberIn(asked, 'startIndex', 1)
      return { json: { totalResults: 45, startIndex: start, data: sliceAt(all, start - 1, 20).items } }
    },
    right: 'complete',
  },
  {
    name: '$skip, where every other parameter is a filter (Feathers)',
    holds: 45,
    answer: (asked, all) => {
      const isFiltered = [...asked.query.keys()].some((name) => name !== '$skip' && name !== '$limit')
      const skip = numberIn(asked, '$skip', 0)
      const data = isFiltered ? [] : sliceAt(all, skip, 10).items
      return { json: { total: isFiltered ? 0 : 45, limit: 10, skip, data } }
    },
    right: 'complete',
  },
  ...[20, 40, 45, 60].flatMap((holds) => [
    shifting('pages by number', holds, (asked, all) => ({
      json: { data: pageAt(all, numberIn(asked, 'page', 1), 20).items },
    })),
    shifting('offset', holds, (asked, all) => ({
      json: { data: sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 20)).items },
    })),
    shifting('offset and total', holds, (asked, all) => ({
      json: {
        data: sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 20)).items,
        total: all.length,
      },
    })),
    shifting('page and total_pages', holds, (asked, all) => {
      const page = numberIn(asked, 'page', 1)
      return { json: { data: pageAt(all, page, 20).items, page, total_pages: Math.ceil(all.length / 20) } }
    }),
  ]),
  {
    name: 'offset, and a maximum of 37',
    holds: 73,
    answer: (asked, all) => ({
      json: { data: sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 37)).items },
    }),
    right: 'complete',
  },
  {
    name: 'page, and a size of its own below the one that was asked for',
    holds: 250,
    answer: (asked, all) => {
      const size = sizeIn(asked, 'limit', 20, 50)
      return { json: { data: pageAt(all, numberIn(asked, 'page', 1), size).items } }
    },
    right: 'complete',
  },
]
