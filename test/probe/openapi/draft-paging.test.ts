import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { draftPaging } from '../../../src/probe/openapi/draft-paging.ts'
import { ApiDescription } from '../../../src/probe/openapi/read-description.ts'
import { documentWith, get, INTEGER, listOf, object, PERSON, query, TEXT } from './small-api.ts'

const FLAG = { type: 'boolean' }

function pagingOf(answered: JsonObject, ...parameters: JsonObject[]) {
  const records = { data: listOf(PERSON), ...answered }
  const api = new ApiDescription(documentWith({ '/persons': { get: get(object(records), ...parameters) } }))
  const list = api.method('/persons', 'get')
  if (!list) throw new Error('no list')
  return draftPaging(list)
}

test.each<[string, JsonObject, JsonObject[], JsonObject]>([
  [
    'a cursor of the answer',
    { paging: object({ next_cursor: TEXT, has_more: FLAG }) },
    [query('cursor')],
    { by: 'cursor', param: 'cursor', next: 'paging.next_cursor', more: 'paging.has_more' },
  ],
  [
    'the address of the next page',
    { next: { ...TEXT, format: 'uri' }, count: INTEGER },
    [query('page', INTEGER)],
    { by: 'next_url', next: 'next', absent: true },
  ],
  [
    'pages that begin at 0',
    { totalPages: INTEGER },
    [query('page', { ...INTEGER, default: 0 })],
    { by: 'page', param: 'page', start: 0, pages: 'totalPages' },
  ],
  [
    'an offset',
    { total: INTEGER },
    [query('offset', INTEGER), query('limit', { ...INTEGER, maximum: 50 })],
    { by: 'offset', param: 'offset', total: 'total', size: { param: 'limit', max: 50 } },
  ],
  [
    'an offset that the answer states',
    { pagination: object({ next_start: INTEGER, more_items_in_collection: FLAG }) },
    [query('start', INTEGER)],
    { by: 'cursor', param: 'start', next: 'pagination.next_start', more: 'pagination.more_items_in_collection' },
  ],
  [
    'a cursor that is named for a parameter that often is an offset',
    { nextFrom: TEXT },
    [query('from')],
    { by: 'cursor', param: 'from', next: 'nextFrom', absent: true },
  ],
  [
    'a cursor, with the total that shows that none is missing,',
    { next_cursor: TEXT, total_count: INTEGER },
    [query('cursor')],
    { by: 'cursor', param: 'cursor', next: 'next_cursor', absent: true, total: 'total_count' },
  ],
])('paging by %s is found', (_, answered, parameters, expected) => {
  const { paging, doubt } = pagingOf(answered, ...parameters)
  expect(paging).toEqual(expected)
  expect(doubt).toBeUndefined()
})

test.each([
  ['Number of records. Maximum 250, default 20.', 250],
  ['The page size, between 10 and 100, defaults to 10', 100],
  ['Up to 1,000 records', 1000],
  [
    'The limit of entries. If not provided, 100 items will be returned. Please note that a maximum value of 500 is allowed',
    500,
  ],
])('the greatest page size is read from words: %s', (description, max) => {
  const { paging } = pagingOf({}, query('page', INTEGER), query('per_page', INTEGER, { description }))
  expect(paging?.size).toEqual({ param: 'per_page', max })
})

test.each([
  ['The number of all matching records', { total: 'count' }],
  ['', {}],
  ['The number of records returned', {}],
])('a count ends a list only where the document says that it is of all records: %j', (description, total) => {
  const { paging } = pagingOf({ count: { ...INTEGER, description } }, query('offset', INTEGER))
  expect(paging).toEqual({ by: 'offset', param: 'offset', ...total })
})

test('without a stated maximum the default size is used', () => {
  const { paging } = pagingOf({}, query('page', INTEGER), query('limit', { ...INTEGER, default: 25 }))
  expect(paging?.size).toEqual({ param: 'limit', max: 25 })
})

test.each<[string, JsonObject, JsonObject[]]>([
  ['a size alone', {}, [query('limit', INTEGER)]],
  ['a cursor that no answer states', {}, [query('cursor')]],
  ['pages without a parameter', { total_pages: INTEGER }, []],
])('%s is no paging, with the reason', (_, answered, parameters) => {
  const { paging, doubt } = pagingOf(answered, ...parameters)
  expect({ paging, doubt }).toEqual({ paging: undefined, doubt: expect.any(String) })
})

test('of two cursors, such as a time and an id, neither is taken where pages are numbered', () => {
  const parameters = [query('startAfter', INTEGER), query('startAfterId'), query('page', INTEGER)]
  const { paging } = pagingOf(
    { meta: object({ startAfter: INTEGER, nextPage: INTEGER, total: INTEGER }) },
    ...parameters,
  )
  expect(paging).toEqual({ by: 'page', param: 'page', total: 'meta.total' })
})

test('the next cursor is not the one of the page itself', () => {
  const cursors = object({ previous: TEXT, cursor: TEXT, next: TEXT })
  expect(pagingOf({ cursors }, query('cursor')).paging).toMatchObject({ next: 'cursors.next' })
})
