import type { JsonObject } from '../../../src/core/json.ts'
import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, type Slice, sizeIn, sliceAt } from './slice.ts'

/** A server that says how the list goes on, and nothing where it ends. */
interface Kind {
  readonly name: string
  /** The parameter of the size, and what a page holds without it and at most. */
  readonly size: readonly [name: string, otherwise: number, most: number]
  /** The parameter in which the start of a page goes back. */
  readonly start: string
  readonly render: (slice: Slice, asked: Asked) => Answered
}

const KINDS: readonly Kind[] = [
  {
    name: 'paging.next.after (HubSpot)',
    size: ['limit', 10, 100],
    start: 'after',
    render: ({ items, next }) => ({
      json: { results: items, ...(next !== undefined && { paging: { next: { after: `${next}` } } }) },
    }),
  },
  {
    name: 'offset (Airtable)',
    size: ['pageSize', 100, 100],
    start: 'offset',
    render: ({ items, next }) => ({ json: { records: items, ...(next !== undefined && { offset: `itr${next}` }) } }),
  },
  {
    name: 'a Link header (Shopify)',
    size: ['limit', 50, 250],
    start: 'page_info',
    render: ({ items, next }, { origin, query }) => {
      const target = `${origin}/v1/contacts?limit=${query.get('limit') ?? 50}&page_info=${next}`
      return { json: { contacts: items }, ...(next !== undefined && { headers: { link: `<${target}>; rel="next"` } }) }
    },
  },
  {
    name: 'cursor (Square)',
    size: ['limit', 100, 100],
    start: 'cursor',
    render: ({ items, next }) => ({ json: { objects: items, ...(next !== undefined && { cursor: `at${next}` }) } }),
  },
  {
    name: '_metadata.next (SendGrid)',
    size: ['page_size', 100, 1000],
    start: 'page_token',
    render: ({ items, next }, { origin, query }) => {
      const target = `${origin}/v1/contacts?page_size=${query.get('page_size') ?? 100}&page_token=${next}`
      return {
        json: { result: items, _metadata: { count: items.length, ...(next !== undefined && { next: target }) } },
      }
    },
  },
]

const startIn = ({ query }: Asked, name: string) => Number(/\d+$/.exec(query.get(name) ?? '0')?.[0])

function sliceOf({ size: [name, otherwise, most], start }: Kind, asked: Asked, all: readonly JsonObject[]): Slice {
  return sliceAt(all, startIn(asked, start), sizeIn(asked, name, otherwise, most))
}

/** As many records as a page holds, or as were asked for: one request with a smaller size shows that they are all. */
export const EXACT: readonly ListShape[] = KINDS.flatMap((kind) =>
  [20, 37, 100].map(
    (holds): ListShape => ({
      name: `${kind.name}, and ${holds} records`,
      holds,
      answer: (asked, all) => kind.render(sliceOf(kind, asked, all), asked),
      right: 'complete',
    }),
  ),
)

const [hubspot, , shopify] = KINDS as [Kind, Kind, Kind]

function hiding(name: string, isHidden: (asked: Asked, slice: Slice) => boolean, kind = hubspot): ListShape {
  return {
    name: `${kind.name} ${name}`,
    holds: 237,
    answer: (asked, all) => {
      const slice = sliceOf(kind, asked, all)
      return kind.render(isHidden(asked, slice) ? { ...slice, next: undefined } : slice, asked)
    },
    right: 'refused',
  }
}

/** The next page is named below some size only: that it is not named proves nothing. */
export const HIDING: readonly ListShape[] = [
  ...[hubspot, shopify].flatMap((kind) => [
    hiding('that is left out where the size is its maximum', (_asked, { items }) => items.length >= 100, kind),
    hiding('that is left out where a size above 90 is asked for', (asked) => numberIn(asked, 'limit', 10) > 90, kind),
  ]),
  {
    ...hiding('that is left out where a page is shorter than was asked for', () => false),
    answer: (asked, all) => {
      const size = numberIn(asked, 'limit', 10)
      const { items, next } = sliceAt(all, startIn(asked, 'after'), Math.min(size, 40))
      return { json: { results: items, ...(items.length === size && { paging: { next: { after: `${next}` } } }) } }
    },
  },
  {
    ...hiding('of smaller pages that leads back to the first', () => false),
    answer: (asked, all) => {
      const { items } = sliceAt(all, 0, sizeIn(asked, 'limit', 10, 100))
      return { json: { results: items, ...(items.length < 100 && { paging: { next: { after: 'x' } } }) } }
    },
  },
  {
    ...hiding('of smaller pages that leads to the last record, and states that there are more', () => false),
    answer: (asked, all) => {
      const start = startIn(asked, 'after')
      const { items } = sliceAt(all, start, start > 0 ? 1 : sizeIn(asked, 'limit', 10, 100))
      return { json: { results: items, ...(items.length < 100 && { paging: { next: { after: `${start + 99}` } } }) } }
    },
  },
]
