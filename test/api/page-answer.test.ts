import { expect, test } from 'vitest'
import { readPage } from '../../src/api/page-answer.ts'
import type { JsonValue } from '../../src/core/json.ts'

const read = (json: JsonValue, headers = {}) => readPage({ status: 200, headers, json })

test('the envelope of the service is read', () => {
  expect(read({ data: [{ id: '1' }], next_cursor: 'c', has_more: true })).toEqual({
    items: [{ id: '1' }],
    next: { parameter: 'cursor', cursor: 'c' },
  })
})

test.each([
  [{ data: [], next_cursor: null, has_more: false }],
  [{ data: [], next_cursor: '' }],
  [{ data: [], has_more: false }],
  [{ data: [], next_cursor: 'c', has_more: false }],
  [{ data: [] }],
])('%j ends the list', (json) => {
  expect(read(json as JsonValue)).toEqual({ items: [], next: undefined })
})

test('members beside the paging ones do no harm', () => {
  expect(read({ object: 'list', data: [], next_cursor: 'c' })).toMatchObject({ next: { cursor: 'c' } })
})

test('a number as cursor is one', () => {
  expect(read({ data: [], next_cursor: 7 })).toMatchObject({ next: { cursor: '7' } })
})

test('a bare array is the whole list', () => {
  expect(read([{ id: '1' }])).toEqual({ items: [{ id: '1' }], next: undefined })
})

test.each<[JsonValue, string]>([
  [{ results: [], total: 3 }, 'expected a list, got an object with results, total'],
  [{ data: [], meta: { next_cursor: 'c' } }, 'expected a list, got an object with data, meta'],
  [{}, 'expected a list, got an empty object'],
  [{ data: { id: '1' } }, 'expected a list, got an object with data'],
  ['x', 'expected a list, got "x"'],
  [null, 'expected a list, got null'],
  [{ data: ['con_1'] }, 'the list holds something that is not a record'],
  [[null], 'the list holds something that is not a record'],
  [{ data: [], has_more: true }, 'there are more records, but no cursor that leads to them'],
  [{ data: [], next_cursor: { after: 1 } }, 'the cursor is not a string: {"after":1}'],
])('%j is no page', (json, complaint) => {
  expect(read(json)).toBe(complaint)
})

test('a bare array that goes on elsewhere is not taken for the whole list', () => {
  expect(read([], { link: '</v1/contacts?cursor=c>; rel="next"' })).toContain('Link')
})
