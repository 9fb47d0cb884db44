import type { ListShape } from '../shape.ts'
import { numberIn, sliceAt } from './slice.ts'

const textOf = (next: number | undefined) => (next === undefined ? null : String(next))

/** Servers whose answers say how a list goes on, in words that are recognised. */
export const RECOGNISED: readonly ListShape[] = [
  {
    name: 'next_cursor and has_more, as crm serve',
    holds: 45,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'cursor', 0), 20)
      return { json: { data: items, next_cursor: textOf(next), has_more: next !== undefined } }
    },
    right: 'complete',
    requests: 3,
  },
]
