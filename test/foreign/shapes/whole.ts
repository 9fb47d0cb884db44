import type { Answered, ListShape } from '../shape.ts'
import { numberIn, sizeIn } from './slice.ts'

type Records = Parameters<ListShape['answer']>[1]

/** Everything in one answer, whatever is asked. */
function atOnce(name: string, holds: number, render: (all: Records) => Answered): ListShape {
  return { name, holds, answer: (_asked, all) => render(all), right: 'complete' }
}

/** Servers that have no pages, or have said all that there is. */
export const WHOLE: readonly ListShape[] = [
  atOnce('23 records in data, and no other member', 23, (all) => ({ json: { data: all } })),
  atOnce('a bare list of 3 that ignores the size', 3, (all) => ({ json: all })),
  atOnce('a bare list of 3001 that ignores the size', 3001, (all) => ({ json: all })),
  atOnce('a total that is reached', 23, (all) => ({ json: { data: all, total: 23 } })),
  atOnce('a total in a header that is reached', 23, (all) => ({ json: all, headers: { 'x-total-count': '23' } })),
  atOnce('a total that is lower than what came', 23, (all) => ({ json: { data: all, total: 3 } })),
  atOnce('a total of 0 and 0 pages beside records', 23, (all) => ({ json: { data: all, total: 0, pages: 0 } })),
  atOnce('a count of the page', 23, (all) => ({ json: { data: all, count: 23 } })),
  atOnce('next that is null', 20, (all) => ({ json: { data: all, next: null } })),
  atOnce('found, matches and a range that are reached', 20, (all) => ({
    json: { data: all, found: 20, matches: 20, range: '1-20 of 20', partial: false, lastKey: null },
  })),
  atOnce('37 records, whatever the size', 37, (all) => ({ json: { data: all } })),
  atOnce('has_more that is false', 20, (all) => ({ json: { data: all, has_more: false } })),
  atOnce('a Content-Range of 50', 50, (all) => ({ json: all, headers: { 'content-range': 'items 0-49/50' } })),
  atOnce('a Content-Range that is whole', 5, (all) => ({ json: all, headers: { 'content-range': 'items 0-4/5' } })),
  atOnce('page 1 of 1', 7, (all) => ({ json: { data: all, page: 1, total_pages: 1, total: 7 } })),
  atOnce('next, cursor and more as members of the records', 6, (all) => ({
    json: { data: all.map((each) => ({ ...each, next: '/v1/contacts?page=2', cursor: 'x', has_more: true })) },
  })),
  atOnce('words of paging that mean something else', 6, (all) => ({
    json: {
      data: all,
      meta: { request_token: 'r-1', csrf_token: 'abc', fields: { next_step: 'text' }, prev_cursor: 'b' },
    },
    headers: { 'x-csrf-token': 'abc', 'x-nextjs-cache': 'HIT', 'x-request-token': 'r' },
  })),
  atOnce('no records', 0, () => ({ json: { data: [] } })),
  atOnce('no records, and a total of 0', 0, () => ({ json: { data: [], total: 0 } })),
  {
    name: 'a size that is obeyed, and nothing else: three records are all',
    holds: 3,
    answer: (asked, all) => ({ json: all.slice(0, sizeIn(asked, 'limit', 20, 100)) }),
    right: 'complete',
  },
  {
    name: 'limit that is taken for a filter (json-server)',
    holds: 31,
    answer: (asked, all) => ({ json: asked.query.size > 0 ? [] : all }),
    right: 'complete',
  },
  {
    name: 'limit that is taken for a filter, with a total of what passed it',
    holds: 31,
    answer: (asked, all) => {
      const data = asked.query.size > 0 ? [] : all
      return { json: { data, total: data.length } }
    },
    right: 'complete',
  },
  {
    name: 'every parameter that is not known is a 400',
    holds: 20,
    answer: ({ query }, all) =>
      [...query.keys()].every((name) => name === 'limit')
        ? { json: { data: all.slice(0, Number(query.get('limit') ?? 50)), total: 20 } }
        : { status: 400, json: { message: 'unknown parameter' } },
    right: 'complete',
  },
  {
    name: 'a parameter that is not known is a 400, page is known, and there is one page',
    holds: 20,
    answer: (asked, all) =>
      [...asked.query.keys()].every((name) => name === 'limit' || name === 'page')
        ? { json: { data: numberIn(asked, 'page', 1) === 1 ? all.slice(0, sizeIn(asked, 'limit', 20)) : [] } }
        : { status: 400, json: { message: 'unknown parameter' } },
    right: 'complete',
  },
  {
    name: 'the whole list, by the word of the person: wire.paging none',
    holds: 20,
    answer: (asked, all) => ({ json: { data: all.slice(0, sizeIn(asked, 'limit', 20)), total: 3000, more: true } }),
    right: 'complete',
  },
]
