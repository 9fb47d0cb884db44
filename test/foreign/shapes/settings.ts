import type { ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

/** Servers whose way on is in no answer and in no list of names: the person names it. */
export const TOLD: readonly ListShape[] = [
  {
    name: 'wire.paging page, in a parameter of its own',
    holds: 45,
    answer: (asked, all) => ({ json: { data: pageAt(all, numberIn(asked, 'blatt', 1), 20).items } }),
    settings: { 'wire.paging': 'page', 'wire.cursor_param': 'blatt' },
    right: 'complete',
  },
  {
    name: 'wire.paging offset, in a parameter of its own',
    holds: 45,
    answer: (asked, all) => ({ json: sliceAt(all, numberIn(asked, 'versatz', 0), sizeIn(asked, 'limit', 20)).items }),
    settings: { 'wire.paging': 'offset', 'wire.cursor_param': 'versatz' },
    right: 'complete',
  },
  {
    name: 'wire.paging next_url and wire.next_path, gone at the end',
    holds: 20,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'at', 0), 10)
      return { json: { data: items, ...(next && { weiter: `contacts?at=${next}` }) } }
    },
    settings: { 'wire.paging': 'next_url', 'wire.next_path': 'weiter' },
    right: 'complete',
    requests: 2,
  },
  {
    name: 'wire.paging link, and a list of one page without a header',
    holds: 20,
    answer: (asked, all) => ({ json: all.slice(0, sizeIn(asked, 'limit', 20)) }),
    settings: { 'wire.paging': 'link' },
    right: 'complete',
    requests: 1,
  },
  ...[7, 20, 100, 237].map(
    (holds): ListShape => ({
      name: `wire.paging offset in first, wire.limit_param max (Keycloak), and ${holds} records`,
      holds,
      answer: (asked, all) => ({
        json: sliceAt(all, numberIn(asked, 'first', 0), sizeIn(asked, 'max', 100, 50)).items,
      }),
      settings: { 'wire.paging': 'offset', 'wire.cursor_param': 'first', 'wire.limit_param': 'max' },
      right: 'complete',
    }),
  ),
  {
    name: 'wire.paging cursor with the place and the parameter of the cursor',
    holds: 45,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'weiter', 0), 20)
      return { json: { data: items, ...(next && { marke: String(next) }) } }
    },
    settings: { 'wire.paging': 'cursor', 'wire.next_path': 'marke', 'wire.cursor_param': 'weiter' },
    right: 'complete',
    requests: 3,
  },
]
