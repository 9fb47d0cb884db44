import type { Answered, ListShape } from '../shape.ts'
import { numberIn, sizeIn, sliceAt } from './slice.ts'

/** A first page of 20 of 3000, whatever is asked. */
function firstPage(name: string, more: object, headers = {}): ListShape {
  return {
    name,
    holds: 3000,
    answer: (_asked, all): Answered => ({ json: { data: all.slice(0, 20), ...more }, headers }),
    right: 'refused',
  }
}

/** Lists of which it cannot be known whether they are whole. */
export const HOSTILE: readonly ListShape[] = [
  firstPage('a total that is above what came', { total: 3000 }),
  firstPage('a total below meta.page', { meta: { page: { total_items: 3000 } } }),
  firstPage('a total beside a next that is null', { total: 3000, next: null }),
  firstPage('count above what came', { count: 3000 }),
  firstPage('a number of pages', { pageCount: 150 }),
  firstPage('X-Total-Count above what came', {}, { 'x-total-count': '3000' }),
  firstPage('more: true', { more: true }),
  firstPage('last: false', { last: false }),
  firstPage('a continuation that leads nowhere', { state: { continuation_handle: 'zzz' } }),
  firstPage('a header that looks like more', {}, { 'x-more-records': 'yes' }),
  firstPage('a cursor that leads back to the first page', { next_cursor: 'abc' }),
  firstPage('lastEvaluatedKey that holds a key', { lastEvaluatedKey: { id: 'con_20' } }),
  firstPage('LastEvaluatedKey of DynamoDB', { LastEvaluatedKey: { id: { S: 'con_20' } } }),
  firstPage('lastKey', { lastKey: 'con_20' }),
  firstPage('found above what came', { found: 3000 }),
  firstPage('stats.matched above what came', { stats: { matched: 3000 } }),
  firstPage('matches above what came', { matches: 3000 }),
  firstPage('range: 1-20 of 3000', { range: '1-20 of 3000' }),
  firstPage('partial: true', { partial: true }),
  firstPage(
    '200 and a Content-Range that does not know the total',
    {},
    {
      'content-range': '0-19/*',
    },
  ),
  {
    name: 'an empty list with status processing and Retry-After',
    holds: 3000,
    answer: () => ({ json: { data: [], status: 'processing' }, headers: { 'retry-after': '5' } }),
    right: 'refused',
  },
  ...[15, 37, 40, 60].map(
    (most): ListShape => ({
      name: `a maximum of ${most}, a size that is obeyed below it, and no way on`,
      holds: 73,
      answer: (asked, all) => ({ json: { data: all.slice(0, sizeIn(asked, 'limit', most)) } }),
      right: 'refused',
    }),
  ),
  ...[12, 24, 50, 64, 100, 150, 3000].map(
    (holds): ListShape => ({
      name: `${holds} records, whatever is asked`,
      holds,
      answer: (_asked, all) => ({ json: { data: all } }),
      right: 'refused',
    }),
  ),
  ...['startRow', 'pageNum', 'current', 'seite'].map(
    (parameter): ListShape => ({
      name: `pages of 50 in ${parameter}`,
      holds: 237,
      answer: (asked, all) => {
        const at = numberIn(asked, parameter, parameter === 'startRow' ? 0 : 1)
        return { json: { data: sliceAt(all, parameter === 'startRow' ? at : (at - 1) * 50, 50).items } }
      },
      right: parameter === 'seite' ? 'refused' : 'complete',
    }),
  ),
  {
    name: '206 without a next page',
    holds: 3000,
    answer: (_asked, all) => ({
      status: 206,
      json: all.slice(0, 20),
      headers: { 'content-range': 'items 0-19/*' },
    }),
    right: 'refused',
  },
  ...['items 0-19/3000', 'items 0-19/*'].map(
    (range): ListShape => ({
      name: `206 that goes on with a Range header alone, and Content-Range ${range}`,
      holds: 3000,
      answer: ({ headers }, all) => {
        const [start = 0, end = 19] = (/items=(\d+)-(\d+)/.exec(String(headers.range))?.slice(1) ?? []).map(Number)
        return {
          status: 206,
          json: all.slice(start, end + 1),
          headers: { 'content-range': range, 'accept-ranges': 'items' },
        }
      },
      right: 'refused',
    }),
  ),
  {
    name: 'has_more: false beside a next page on another origin',
    holds: 45,
    answer: (_asked, all) => ({
      json: { data: all.slice(0, 20), has_more: false, next: 'http://127.0.0.1:1/v1/contacts?page=2' },
    }),
    right: 'refused',
  },
  {
    name: 'has_more: false beside a cursor that is answered with 500',
    holds: 45,
    answer: (asked, all) =>
      asked.query.has('cursor')
        ? { status: 500, json: { message: 'oops' } }
        : { json: { data: all.slice(0, 20), has_more: false, next_cursor: 'at20' } },
    right: 'refused',
  },
  {
    name: 'a maximum of 20, a size that is obeyed below it, and no way on',
    holds: 3000,
    answer: (asked, all) => ({ json: { data: all.slice(0, sizeIn(asked, 'limit', 20)) } }),
    right: 'refused',
  },
  {
    name: 'a maximum of 20, a size in another parameter, and a way on that has no usual name',
    holds: 37,
    answer: (asked, all) => {
      const start = numberIn(asked, 'tok', 0)
      return { json: { data: sliceAt(all, start, sizeIn(asked, 'per_page', 20)).items, meta: { nxt: start + 20 } } }
    },
    right: 'refused',
  },
  {
    name: 'as many as were asked for, and no way on',
    holds: 3000,
    answer: (asked, all) => ({ json: all.slice(0, sizeIn(asked, 'limit', 20, 1000)) }),
    right: 'refused',
  },
  {
    name: 'has_more, and pages by number that end before the list does',
    holds: 3000,
    answer: (asked, all) => ({
      json: { data: sliceAt(all, (Math.min(numberIn(asked, 'page', 1), 3) - 1) * 20, 20).items, has_more: true },
    }),
    right: 'refused',
  },
  {
    name: 'a cursor that loops',
    holds: 60,
    answer: (asked, all) => {
      const at = Number((asked.query.get('cursor') ?? 'c0').slice(1))
      const { items } = sliceAt(all, at, 20)
      return { json: { data: items, next_cursor: `c${(at + 20) % 60}` } }
    },
    right: 'refused',
  },
  {
    name: 'a new cursor each time, and always the first page',
    holds: 3000,
    answer: ({ nth }, all) => ({ json: { data: all.slice(0, 20), next_cursor: `c${nth}` } }),
    right: 'refused',
  },
  {
    name: 'a next page on another origin',
    holds: 45,
    answer: (_asked, all) => ({ json: { data: all.slice(0, 20), next: 'http://127.0.0.1:1/v1/contacts?page=2' } }),
    right: 'refused',
  },
  {
    name: 'wire.next_path that no answer holds',
    holds: 3000,
    answer: (asked, all) => ({ json: { data: all.slice(0, sizeIn(asked, 'limit', 20)) } }),
    right: 'refused',
  },
  {
    name: 'pages by number that end at the 1000th record of 3000',
    holds: 3000,
    answer: (asked, all) => {
      const page = numberIn(asked, 'page', 1)
      return { json: { data: page > 10 ? [] : sliceAt(all, (page - 1) * 100, 100).items, total: 3000 } }
    },
    right: 'refused',
  },
]
