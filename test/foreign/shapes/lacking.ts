import type { Answered, ListShape } from '../shape.ts'
import { numberIn, sizeIn, sliceAt } from './slice.ts'

/** Pages of 20 by offset, nothing from `end` on, and what stands beside them. */
function ending(
  name: string,
  [holds, end]: readonly [number, number],
  answer: (items: readonly unknown[], start: number) => Answered,
  right: ListShape['right'],
): ListShape {
  return {
    name,
    holds,
    answer: (asked, all) => {
      const start = numberIn(asked, 'offset', 0)
      return answer(sliceAt(all.slice(0, end), start, 20).items, start)
    },
    right,
  }
}

/** A cursor that ends behind the record 40. */
function cursors(name: string, total: (start: number) => number | undefined, right: ListShape['right']): ListShape {
  return {
    name,
    holds: right === 'complete' ? 40 : 47,
    answer: ({ query }, all) => {
      const start = Number(query.get('cursor') ?? 0)
      const items = sliceAt(all.slice(0, 40), start, 20).items
      return { json: { data: items, next_cursor: items.length === 0 ? null : String(start + 20), total: total(start) } }
    },
    right,
  }
}

/** Lists that end below the total that they tell, by less than a page. */
export const LACKING: readonly ListShape[] = [
  ending('a total, and an empty page below it', [47, 40], (data) => ({ json: { data, total: 47 } }), 'refused'),
  ending(
    'a total that the empty page does not tell',
    [47, 40],
    (data) => ({ json: data.length === 0 ? { data } : { data, total: 47 } }),
    'refused',
  ),
  ending(
    'X-Total-Count, and an empty page below it',
    [47, 40],
    (data) => ({ json: data, headers: { 'x-total-count': '47' } }),
    'refused',
  ),
  ending(
    'one short page below a total, and an empty one',
    [15, 12],
    (data) => ({ json: { data, total: 15 } }),
    'refused',
  ),
  cursors('a cursor that ends below the total', () => 47, 'refused'),
  cursors('a cursor that ends below the total, and an empty page that counts 0', (at) => (at < 40 ? 47 : 0), 'refused'),
  cursors('a total that falls to what came', (at) => (at < 40 ? 47 : 40), 'refused'),
  cursors('a total that falls to what came, on a page with records', (at) => (at === 0 ? 47 : 40), 'complete'),
  {
    name: 'records that are deleted meanwhile, and a total that stays on the pages behind the first',
    holds: 40,
    answer: ({ query, nth }, all) => {
      const start = Number(query.get('cursor') ?? 0)
      const { items, next } = sliceAt(all, start, 20)
      return { json: { data: items, next_cursor: next === undefined ? null : String(next), total: nth < 3 ? 45 : 40 } }
    },
    right: 'complete',
  },
  {
    name: 'pages that leave out some records of each',
    holds: 45,
    answer: (asked, all) => {
      const start = numberIn(asked, 'offset', 0)
      const { items } = sliceAt(all, start, sizeIn(asked, 'limit', 20))
      return { json: { data: items.filter((_, n) => n % 10 !== 7), total: 45 } }
    },
    right: 'refused',
  },
  {
    name: 'an empty last page that repeats its bookmark (CouchDB)',
    holds: 45,
    answer: ({ query }, all) => {
      const start = Number(query.get('bookmark') ?? 0)
      return { json: { docs: sliceAt(all, start, 20).items, bookmark: String(Math.min(45, start + 20)) } }
    },
    right: 'complete',
  },
]
