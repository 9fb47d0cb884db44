import type { ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

const PAGING = ['pagy', 'pager', 'paginate', 'pagination', 'pagination_meta', 'meta'] as const

/** The number of the next page, and null on the last one, in an object about paging. */
const NEXT_IN_PAGING: readonly ListShape[] = PAGING.flatMap((name) =>
  [20, 45].map(
    (holds): ListShape => ({
      name: `${name}.next of ${holds} records (pagy)`,
      holds,
      answer: (asked, all) => {
        const page = numberIn(asked, 'page', 1)
        const { items, next } = pageAt(all, page, 20)
        const last = Math.ceil(holds / 20)
        if (page > last) return { status: 500, json: { error: 'Internal Server Error' } }
        return { json: { contacts: items, [name]: { page, next: next === undefined ? null : page + 1, last } } }
      },
      right: 'complete',
    }),
  ),
)

/** A next page is named behind every page; the count is that of the whole list. */
const ALWAYS_NEXT: readonly ListShape[] = [20, 100, 237].map((holds) => ({
  name: `a next page behind every page, and a count of ${holds} (Keap)`,
  holds,
  answer: (asked, all) => {
    const [start, size] = [numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 1000)]
    const next = `${asked.origin}/v1/contacts?limit=${size}&offset=${start + size}`
    return { json: { contacts: sliceAt(all, start, size).items, count: all.length, next } }
  },
  right: 'complete',
}))

/** Members that end a list, and that look as if they did. */
export const ENDS: readonly ListShape[] = [
  ...NEXT_IN_PAGING,
  ...ALWAYS_NEXT,
  {
    name: 'pagy.next that is null beside a later last page, whatever is asked',
    holds: 237,
    answer: (_asked, all) => ({ json: { data: all.slice(0, 20), pagy: { page: 1, next: null, last: 12 } } }),
    right: 'refused',
  },
  {
    name: 'pagy.next that is null beside a higher count, whatever is asked',
    holds: 237,
    answer: (_asked, all) => ({ json: { data: all.slice(0, 20), pagy: { next: null, last: 1, count: 237 } } }),
    right: 'refused',
  },
  {
    name: 'an empty page between two, and the count of each page',
    holds: 45,
    answer: (asked, all) => {
      const [start, size] = [
        [0, 20],
        [20, 0],
        [20, 25],
      ][numberIn(asked, 'cursor', 0)] ?? [45, 0]
      const { items } = sliceAt(all, start ?? 0, size ?? 0)
      const next = numberIn(asked, 'cursor', 0) + 1
      return { json: { data: items, count: items.length, next_cursor: next > 2 ? null : `${next}` } }
    },
    right: 'complete',
  },
]
