import { expect, test } from 'vitest'
import {
  chosenRows,
  currentRow,
  cycleSort,
  emptyList,
  markRange,
  markShown,
  moveBy,
  moveTo,
  putRow,
  removeRows,
  rowId,
  setFilter,
  shownCount,
  shownRow,
  takePage,
  toggleMark,
} from '../../src/ui/list/list-state.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { contact, contacts, listOf } from './rows.ts'

const page = (items: ReturnType<typeof contacts>, nextCursor?: string) => ({
  items,
  nextCursor,
  searched: searchedIn('contacts'),
})

test('added rows never move the row under the cursor', () => {
  const sorted = cycleSort(listOf([contact(5), contact(3)], 'more'))
  const onLast = moveTo(sorted, 1, 10)
  expect(rowId(currentRow(onLast))).toBe('con_5')
  expect(rowId(currentRow(takePage(onLast, page([contact(4), contact(1)]))))).toBe('con_5')
})

test('a reload replaces the rows in one step, and keeps the cursor on its record', () => {
  const list = { ...moveTo(listOf(contacts(5)), 3, 10), isStale: true }
  const fresh = takePage(list, page([contact(9), ...contacts(5)]))
  expect(shownCount(fresh)).toBe(6)
  expect(rowId(currentRow(fresh))).toBe('con_3')
})

test('marks follow their records, not their lines', () => {
  const marked = toggleMark(moveTo(listOf(contacts(5)), 2, 10))
  const fresh = takePage({ ...marked, isStale: true }, page([contact(9), ...contacts(5)]))
  expect(chosenRows(fresh).map(rowId)).toEqual(['con_2'])
})

test('a range marks the rows between its ends, in either direction', () => {
  const begun = markRange(moveTo(listOf(contacts(9)), 6, 20))
  expect([...markRange(moveTo(begun, 4, 20)).marks].toSorted()).toEqual(['con_4', 'con_5', 'con_6'])
})

test('marking all marks exactly the rows that the filter shows', () => {
  const filtered = setFilter(listOf([contact(1, { name: 'Ada' }), contact(2, { name: 'Grace' })]), 'ada')
  expect([...markShown(filtered).marks]).toEqual(['con_1'])
})

test('a filter finds parts of names first, then letters in order', () => {
  const rows = [contact(1, { name: 'Almond Dayan' }), contact(2, { name: 'Ada Lovelace' }), contact(3, { name: 'Bob' })]
  const found = setFilter(listOf(rows), 'ada')
  expect(rowId(shownRow(found, 0))).toBe('con_2')
  expect(Array.from({ length: shownCount(found) }, (_, at) => rowId(shownRow(found, at)))).not.toContain('con_3')
})

test('a filter extended by a letter finds the same rows as the whole filter', () => {
  const list = listOf(contacts(500))
  const typed = ['n', 'na', 'nam', 'name', 'name 4', 'name 42'].reduce(setFilter, list)
  expect(typed.order).toEqual(setFilter(list, 'name 42').order)
  expect(shownCount(typed)).toBeGreaterThan(0)
})

test('sort is ascending, descending, then off; numbers sort as numbers, and rows without a value are last', () => {
  const rows = [contact(1, { name: 'b' }), contact(2, { name: null }), contact(3, { name: 'A' })]
  const ids = (list: ReturnType<typeof listOf>) => [0, 1, 2].map((at) => rowId(shownRow(list, at)))
  const up = cycleSort(listOf(rows))
  expect(ids(up)).toEqual(['con_3', 'con_1', 'con_2'])
  const down = cycleSort(up)
  expect(ids(down)).toEqual(['con_1', 'con_3', 'con_2'])
  expect(ids(cycleSort(down))).toEqual(['con_1', 'con_2', 'con_3'])
  const amounts = [contact(1, { name: 10 }), contact(2, { name: 9 }), contact(3, { name: 100 })]
  expect(ids(cycleSort(listOf(amounts)))).toEqual(['con_2', 'con_1', 'con_3'])
})

test('the window jumps by half a screen at an edge, and always contains the cursor', () => {
  let list = listOf(contacts(100))
  const tops = new Set<number>()
  for (let step = 0; step < 60; step++) {
    list = moveBy(list, 1, 10)
    tops.add(list.top)
    expect(list.cursor).toBeGreaterThanOrEqual(list.top)
    expect(list.cursor).toBeLessThan(list.top + 10)
  }
  expect([...tops].length).toBeLessThan(15)
})

test('a long list drops its first rows, and counts them', () => {
  let list = listOf([], 'start')
  for (let number = 0; number < 130_000; number += 10_000) list = takePage(list, page(contacts(10_000, number), 'next'))
  expect(list.rows.length).toBeLessThanOrEqual(110_000)
  expect(list.droppedCount + list.rows.length).toBe(130_000)
  // For any number of rows at once.
  list = takePage(list, page(contacts(150_000, 130_000), 'next'))
  expect(list.rows.length).toBeLessThanOrEqual(110_000)
  expect(list.droppedCount + list.rows.length).toBe(280_000)
})

test('a changed record stays on its line, a new one is on top, and a deleted one is removed with its mark', () => {
  const list = toggleMark(listOf(contacts(3)))
  const changed = putRow(list, contact(1, { name: 'Zed' }), searchedIn('contacts'))
  expect(shownRow(changed, 1)?.name).toBe('Zed')
  expect(rowId(shownRow(putRow(list, contact(7), searchedIn('contacts')), 0))).toBe('con_7')
  const removed = removeRows(list, ['con_0'])
  expect([shownCount(removed), removed.marks.size]).toEqual([2, 0])
})

test('a filter of deals finds text of every column but the time', () => {
  const deal = { id: 'deal_1', name: 'Fleet', pipeline_id: 'renewals', created_at: '2026-03-01T09:30:00Z' }
  const list = takePage(emptyList('name'), { items: [deal], nextCursor: undefined, searched: searchedIn('deals') })
  expect(shownCount(setFilter(list, 'renewals'))).toBe(1)
  expect(shownCount(setFilter(list, '2026-03-01'))).toBe(0)
})
