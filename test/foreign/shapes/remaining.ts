import type { JsonObject } from '../../../src/core/json.ts'
import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

type Records = readonly JsonObject[]

/** The index of the first record comes back as `cursor`; beside it stands how many records follow the page. */
function bubble(asked: Asked, all: Records): Answered {
  const cursor = numberIn(asked, 'cursor', 0)
  const { items } = sliceAt(all, cursor, sizeIn(asked, 'limit', 100))
  const remaining = Math.max(0, all.length - cursor - items.length)
  return { json: { response: { cursor, results: items, count: items.length, remaining } } }
}

const BUBBLE = [0, 1, 20, 100, 237].map(
  (holds): ListShape => ({
    name: `response.remaining of ${holds} records (Bubble)`,
    holds,
    answer: bubble,
    right: 'complete',
  }),
)

/** The next page begins behind those that remain: the cursor is the number of them. */
function skipping(name: string): ListShape {
  return {
    name: `a next_cursor that skips records, and ${name}`,
    holds: 237,
    answer: (asked, all) => {
      const start = numberIn(asked, 'cursor', 0)
      const { items } = sliceAt(all, start, 100)
      const rest = all.length - start - items.length
      return { json: { results: items, next_cursor: rest > 0 ? String(rest) : null, [name]: rest } }
    },
    right: 'refused',
  }
}

/** A stage of an aggregation gives the page and its count as the only element of an array. */
function facets(name: string, render: (items: Records, count: number) => JsonObject): readonly ListShape[] {
  return [0, 1, 20, 100, 237].map((holds) => ({
    name: `${name} of ${holds} records in an array of one ($facet)`,
    holds,
    answer: (asked, all) => ({
      json: [render(pageAt(all, numberIn(asked, 'page', 1), sizeIn(asked, 'limit', 10, 100)).items, all.length)],
    }),
    right: 'complete',
  }))
}

function linked(holds: number, isTokenNew: boolean): ListShape {
  return {
    name: `paging.next on every page of ${holds} records, ${isTokenNew ? 'always a new one' : 'the same at the end'} (Mailgun)`,
    holds,
    answer: (asked, all) => {
      const start = numberIn(asked, 'page', 0)
      const size = sizeIn(asked, 'limit', 100)
      const to = (page: number | string) => `${asked.origin}/v1/contacts?page=${page}&limit=${size}`
      const { items } = sliceAt(all, start, size)
      const next = to(isTokenNew || items.length > 0 ? start + size : start)
      return { json: { items, paging: { first: to(''), last: to('last'), next, previous: to('') } } }
    },
    right: 'complete',
  }
}

/** What remains behind a page, envelopes in an array, and a next page that is always named. */
export const REMAINING: readonly ListShape[] = [
  ...BUBBLE,
  {
    ...(BUBBLE.at(-1) as ListShape),
    name: 'response.remaining as wire.next_path',
    right: 'refused',
  },
  ...['remaining', 'remainingCount', 'left'].map(skipping),
  ...facets('metadata and data', (data, total) => ({ metadata: total > 0 ? [{ total }] : [], data: [...data] })),
  ...facets('paginatedResults and totalCount', (paginatedResults, count) => ({
    paginatedResults: [...paginatedResults],
    totalCount: count > 0 ? [{ count }] : [],
  })),
  ...[0, 1, 19, 100, 237].flatMap((holds) => [linked(holds, true), linked(holds, false)]),
  {
    name: 'a new next_href on every page, all of them empty',
    holds: 1,
    answer: (asked, all) => {
      const page = numberIn(asked, 'page', 1)
      const items = page === 1 ? all : []
      return { json: { data: items, around: { next: `${asked.origin}/v1/contacts?page=${page + 1}` } } }
    },
    right: 'refused',
  },
]
