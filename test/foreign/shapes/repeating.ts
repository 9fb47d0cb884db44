import type { JsonObject } from '../../../src/core/json.ts'
import type { ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

/** Page N + 1 is the first one again. */
const wrapped = (all: readonly JsonObject[], page: number) => pageAt(all, page % 3, 20, 0).items

/** Servers that begin again behind the last page, and servers that show records of earlier pages once more. */
export const REPEATING: readonly ListShape[] = [
  {
    name: 'pages by number that begin again behind the last one',
    holds: 45,
    answer: (asked, all) => ({ json: { data: wrapped(all, numberIn(asked, 'page', 1) - 1) } }),
    right: 'refused',
  },
  {
    name: 'offsets that begin again behind the last record',
    holds: 60,
    answer: (asked, all) => ({ json: { data: sliceAt(all, numberIn(asked, 'offset', 0) % 60, 20).items } }),
    right: 'refused',
  },
  {
    name: 'a new cursor each time, and pages that begin again',
    holds: 45,
    answer: ({ query, nth }, all) => {
      const at = Number((query.get('cursor') ?? '0-').split('-')[0])
      return { json: { data: wrapped(all, at), next_cursor: `${at + 1}-${nth}` } }
    },
    right: 'refused',
  },
  {
    name: 'a new cursor each time, pages that begin again, and a total above them',
    holds: 45,
    answer: ({ query, nth }, all) => {
      const at = Number((query.get('cursor') ?? '0-').split('-')[0])
      return { json: { data: wrapped(all, at), next_cursor: `${at + 1}-${nth}`, total: 145 } }
    },
    right: 'refused',
  },
  {
    name: 'a new cursor each time, pages that begin again, and a total that was reached',
    holds: 45,
    answer: ({ query, nth }, all) => {
      const at = Number((query.get('cursor') ?? '0-').split('-')[0])
      return { json: { data: wrapped(all, at), next_cursor: `${at + 1}-${nth}`, total: 45 } }
    },
    right: 'complete',
  },
  {
    name: 'an offset that stays at the last full page',
    holds: 45,
    answer: (asked, all) => ({ json: sliceAt(all, Math.min(numberIn(asked, 'offset', 0), 25), 20).items }),
    right: 'complete',
  },
  {
    name: 'a page that shows records of the first one again',
    holds: 65,
    answer: (asked, all) => {
      const page = numberIn(asked, 'page', 1)
      const { items } = pageAt(all, page, 20)
      return { json: { data: page === 3 ? [...items, ...all.slice(0, 10)] : items, page, total_pages: 4 } }
    },
    right: 'complete',
  },
  {
    name: 'a last page of records that were changed meanwhile, and no next cursor',
    holds: 40,
    answer: ({ query }, all) => {
      const at = Number(query.get('cursor') ?? 0)
      const { items, next } = sliceAt(all, at, 20)
      if (at < 40) return { json: { data: items, next_cursor: String(next ?? 40) } }
      return { json: { data: all.slice(2, 5), next_cursor: null } }
    },
    right: 'complete',
  },
  {
    name: 'pages that overlap',
    holds: 65,
    answer: (asked, all) => {
      const start = numberIn(asked, 'offset', 0)
      return { json: { data: sliceAt(all, Math.max(0, start - 5), sizeIn(asked, 'limit', 20)).items, total: 65 } }
    },
    right: 'complete',
  },
]
