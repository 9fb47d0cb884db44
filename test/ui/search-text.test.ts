import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { createTextSharing } from '../../src/ui/background/loading.ts'
import { emptyList, type ListState, putRow, setFilter, takePage } from '../../src/ui/list/list-state.ts'

const SEARCHED = ['name', 'company']

function listOf(rows: readonly CrmRecord[]): ListState {
  return takePage(emptyList('name'), { items: rows, nextCursor: 'more', searched: SEARCHED })
}

test('words are found in exactly the rows that have all of them, each within one member', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'É', ' '), maxLength: 4 })
  const row = fc.record({ name: text, company: fc.oneof(text, fc.integer({ min: 0, max: 12 })) })
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '1', ' '), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), words, (rows, filter) => {
      const wanted = filter.split(' ').filter((word) => word !== '')
      const has = (each: CrmRecord, word: string) =>
        SEARCHED.some((member) => String(each[member]).toLowerCase().includes(word))
      const expected = rows.flatMap((each, at) => (wanted.every((word) => has(each, word)) ? [at] : []))
      expect(setFilter(listOf(rows), filter).order ?? [...rows.keys()]).toEqual(expected)
    }),
  )
})

test('rows beyond the first thousand are found at their place, and so are rows that arrive or change later', () => {
  const rows = Array.from({ length: 2_300 }, (_, number) => ({ id: `con_${number}`, name: `Name${number}` }))
  const found = setFilter(listOf(rows), 'name19')
  expect(found.order?.slice(-2)).toEqual([1998, 1999])
  expect(found.order).toHaveLength(111)
  const more = takePage(found, { items: [{ id: 'con_x', name: 'Name19' }], nextCursor: undefined, searched: SEARCHED })
  expect(more.order?.slice(-2)).toEqual([1999, 2300])
  const changed = putRow(more, { id: 'con_5', name: 'Name19' }, SEARCHED)
  expect(changed.order?.[0]).toBe(5)
  expect(changed.order).toHaveLength(113)
})

test('equal texts of rows become one, and no value changes', () => {
  const time = '2026-03-01T09:30:00Z'
  const rows = Array.from({ length: 6_000 }, (_, number) => ({
    ...{ id: `con_${number}`, name: `Name ${number}`, company: `Company ${number % 7}`, amount: number, tags: ['a'] },
    ...{ created_at: time, updated_at: time },
  }))
  const copies: CrmRecord[] = structuredClone(rows)
  createTextSharing()(copies)
  expect(copies).toEqual(rows)
})
