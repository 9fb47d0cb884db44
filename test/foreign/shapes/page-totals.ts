import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, sizeIn, sliceAt } from './slice.ts'

type Records = Parameters<ListShape['answer']>[1]

const TOTALS = ['total', 'totalCount', 'count', 'size', 'total_results'] as const

function shape(
  name: string,
  holds: number,
  right: ListShape['right'],
  answer: (asked: Asked, all: Records) => Answered,
): ListShape {
  return { name, holds, answer, right }
}

const page = (data: Records, total = data.length) => ({ json: { data, total } })

const OPEN = 'refused'

/** A total that is the length of the page, and a total that is as large as a page and true. */
export const PAGE_TOTALS: readonly ListShape[] = [
  ...TOTALS.map((name) =>
    shape(`${name} that is the length of the page, whatever is asked`, 237, OPEN, (_asked, all) => ({
      json: { data: all.slice(0, 50), [name]: 50 },
    })),
  ),
  ...[{ total: 0 }, { total: 7 }, { total_pages: 0 }].map((more) =>
    shape(`${JSON.stringify(more)} beside 60 records, whatever is asked`, 237, OPEN, (_asked, all) => ({
      json: { data: all.slice(0, 60), ...more },
    })),
  ),
  shape('X-Total-Count that is the length of the page, whatever is asked', 237, OPEN, (_asked, all) => ({
    json: all.slice(0, 50),
    headers: { 'x-total-count': '50' },
  })),
  shape('a total that is the length of the page, and a next cursor that is ignored', 237, 'refused', (_asked, all) => ({
    json: { data: all.slice(0, 50), total: 50, next_cursor: 'c50' },
  })),
  shape('a total that is the length of the page, and sizes that are obeyed', 237, 'refused', (asked, all) =>
    page(all.slice(0, sizeIn(asked, 'limit', 20, 50))),
  ),
  shape('a total that is the size that was asked for', 237, 'refused', (asked, all) =>
    page(all.slice(0, sizeIn(asked, 'limit', 20, 1000))),
  ),
  shape('a total that is the length of the page, by page', 237, 'complete', (asked, all) =>
    page(sliceAt(all, (numberIn(asked, 'page', 1) - 1) * 50, 50).items),
  ),
  shape('a total that is the length of the page, by offset, and sizes that are obeyed', 237, 'complete', (asked, all) =>
    page(sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'limit', 20)).items),
  ),
  shape('a total that is the length of the page, and nothing on page 2', 50, 'complete', (asked, all) =>
    page(sliceAt(all, (numberIn(asked, 'page', 1) - 1) * 50, 50).items),
  ),
  {
    ...shape('a total of 50 that is true, and sizes that are obeyed', 50, 'complete', (asked, all) =>
      page(all.slice(0, sizeIn(asked, 'limit', 20, 1000)), all.length),
    ),
  },
  {
    ...shape('a total of 100 that is true, as many as were asked for', 100, 'complete', (asked, all) =>
      page(all.slice(0, sizeIn(asked, 'limit', 20, 1000)), all.length),
    ),
  },
  shape('a total of 50 that is true, and a size in per_page', 50, 'complete', (asked, all) =>
    page(all.slice(0, sizeIn(asked, 'per_page', 50, 1000)), all.length),
  ),
  shape(
    'a total of 50 that is true, sizes that are ignored, and nothing behind offset 50',
    50,
    'complete',
    (asked, all) => page(all.slice(numberIn(asked, 'offset', 0)), all.length),
  ),
  shape('a total of 50 that is true, and a cursor that leads back to the records', 50, 'complete', (asked, all) => ({
    json: { data: all.slice(0, sizeIn(asked, 'limit', 20, 1000)), total: 50, next_cursor: 'c50' },
  })),
  {
    ...shape('a total of 50, whatever is asked, and wire.paging none', 50, 'complete', (_asked, all) => page(all)),
  },
  {
    ...shape('a total of 37, no number of a page', 37, 'complete', (_asked, all) => page(all)),
  },
]

/** As many records as were asked for, of servers that ignore paging. */
export const FULL: readonly ListShape[] = [
  ...[37, 100].map((size) => ({
    ...shape(`${size} records of ${size} that were asked for, whatever is asked`, size, OPEN, (_asked, data) => ({
      json: { data },
    })),
  })),
  {
    ...shape('37 records of 37 that were asked for, whatever is asked, and a total of 37', 37, OPEN, (_asked, all) =>
      page(all),
    ),
  },
  ...[37, 100].map((size) => ({
    ...shape(
      `${size} records of ${size} that were asked for, and a page that is ignored`,
      3000,
      OPEN,
      (asked, all) => ({
        json: { data: all.slice(0, sizeIn(asked, 'limit', 20, 1000)) },
      }),
    ),
  })),
  ...[3, 7].flatMap((size) => [
    {
      ...shape(
        `${size} records of ${size} that were asked for, whatever is asked`,
        size,
        'complete',
        (_asked, data) => ({
          json: { data },
        }),
      ),
    },
    {
      ...shape(`${size} records of ${size} that were asked for, and a true total`, size, 'complete', (asked, all) =>
        page(all.slice(0, sizeIn(asked, 'limit', 20)), all.length),
      ),
    },
  ]),
  {
    ...shape('3 records of 3 that were asked for, and no more of a longer list', 73, OPEN, (asked, all) => ({
      json: { data: all.slice(0, sizeIn(asked, 'limit', 20)) },
    })),
  },
]
