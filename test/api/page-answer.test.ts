import { describe, expect, test } from 'vitest'
import { readPage } from '../../src/api/pages/page-answer.ts'
import type { JsonValue } from '../../src/core/json.ts'
import { WIRE } from './client-fixture.ts'

const URL_ASKED = new URL('https://crm.example.com/v1/contacts?limit=2')

function read(json: unknown, headers: Record<string, string> = {}, wire = {}) {
  return readPage({ status: 200, headers, json: json as JsonValue }, URL_ASKED, { ...WIRE, ...wire })
}

const items = [{ id: 'a' }, { id: 'b' }]

describe('records', () => {
  test.each([
    ['data', { data: items }],
    ['results', { results: items }],
    ['items', { items }],
    ['records', { records: items }],
    ['objects', { objects: items }],
    ['data.<plural>', { data: { people: items } }],
    ['data.<plural>, beside its page information', { data: { people: items, pageInfo: { hasNextPage: false } } }],
    ['edges', { edges: items.map((node) => ({ cursor: 'c', node })) }],
    ['data.<plural>.edges', { data: { people: { edges: items.map((node) => ({ node })), pageInfo: {} } } }],
    ['content', { content: items }],
    ['value', { value: items }],
    ['_embedded', { _embedded: { people: items } }],
    ['the name of the resource', { contacts: items, count: 2 }],
    ['the answer itself', items],
  ])('are found in %s', (_place, json) => {
    expect(read(json)).toMatchObject({ items, next: undefined })
  })

  test('are taken from where the settings say, and from nowhere else', () => {
    const wire = { itemsPath: 'payload.list' }
    expect(read({ data: [{ id: 'x' }], payload: { list: items } }, {}, wire)).toMatchObject({ items })
    expect(read({ data: items }, {}, wire)).toBe(
      'expected a list, got an object with data without one at wire.items_path payload.list',
    )
    expect(read({ '@odata.value': items }, {}, { itemsPath: '@odata.value' })).toMatchObject({ items })
  })
})

const address = '/v1/contacts?page=2'

describe('the next page', () => {
  test.each<[string, unknown, Record<string, string>, unknown]>([
    ['Link', items, { link: '</first>; rel=first, <?page=2>; title="a, b; c"; rel="last next"' }, { address }],
    ['next_cursor', { data: items, next_cursor: 'c', has_more: true }, {}, { parameter: 'cursor', cursor: 'c' }],
    ['nextCursor', { items, nextCursor: 'c' }, {}, { parameter: 'cursor', cursor: 'c' }],
    ['meta', { data: items, meta: { next_cursor: 'c' } }, {}, { parameter: 'cursor', cursor: 'c' }],
    ['Pipedrive', { data: items, additional_data: { next_cursor: 'c' } }, {}, { parameter: 'cursor', cursor: 'c' }],
    ['pagination', { data: items, pagination: { next_cursor: 'c' } }, {}, { parameter: 'cursor', cursor: 'c' }],
    [
      'HubSpot',
      { results: items, paging: { next: { after: '7', link: 'x' } } },
      {},
      { parameter: 'after', cursor: '7' },
    ],
    ['Close', { data: items, cursor_next: 'c' }, {}, { parameter: '_cursor', cursor: 'c' }],
    [
      'Twenty',
      { data: { people: items }, pageInfo: { hasNextPage: true, endCursor: 'c' } },
      {},
      { parameter: 'starting_after', cursor: 'c' },
    ],
    [
      'data.<plural>.pageInfo',
      { data: { people: { edges: [], pageInfo: { hasNextPage: true, endCursor: 'c' } } } },
      {},
      { parameter: 'starting_after', cursor: 'c' },
    ],
    ['Salesforce', { records: items, done: false, nextRecordsUrl: '/q/1-2' }, {}, { address: '/q/1-2' }],
    ['paging.next.link', { data: items, paging: { next: { link: address } } }, {}, { address }],
    ['links.next', { data: items, links: { next: `https://crm.example.com${address}` } }, {}, { address }],
    ['links.next as an object', { data: items, links: { next: { href: address } } }, {}, { address }],
    ['next', { count: 9, results: items, next: `https://crm.example.com${address}` }, {}, { address }],
    ['next that is a cursor', { data: items, next: 'c' }, {}, { parameter: 'cursor', cursor: 'c' }],
    ['has_more alone', { data: items, has_more: true }, {}, { parameter: 'starting_after', cursor: 'b' }],
    ['a number', { data: items, next_cursor: 7 }, {}, { parameter: 'cursor', cursor: '7' }],
  ])('is read as %s has it', (_dialect, json, headers, next) => {
    expect(read(json, headers)).toMatchObject({ next })
  })

  test.each([
    [{ data: items, next_cursor: null, has_more: false }],
    [{ data: items, next_cursor: '' }],
    [{ data: items, has_more: false }],
    [{ data: items, next_cursor: 'c', has_more: false }],
    [{ data: items, additional_data: { next_cursor: null } }],
    [{ data: items, cursor_next: null }],
    [{ edges: [], pageInfo: { hasNextPage: false, endCursor: 'c' } }],
    [{ records: items, done: true, totalSize: 2 }],
    [{ data: items, links: { next: null } }],
    [{ data: items, links: { next: { href: null } } }],
    [{ count: 2, results: items, next: null, previous: null }],
  ])('%j has none', (json) => {
    expect(read(json)).toMatchObject({ next: undefined, isEndKnown: true })
  })

  test('a page without paging members is recognised as such, and its count is kept', () => {
    expect(read({ data: items })).toMatchObject({ isEndKnown: false, counts: { total: undefined, pages: undefined } })
    expect(read({ data: items, total: 2 })).toMatchObject({ counts: { total: { count: 2, at: 'total' } } })
    expect(read({ data: items, meta: { total: 30 } })).toMatchObject({
      counts: { total: { count: 30, at: 'meta.total' } },
    })
    expect(read({ data: items, total_pages: 3 })).toMatchObject({ counts: { pages: { count: 3, at: 'total_pages' } } })
  })

  test('a cursor goes back in the parameter that a Link header beside it shows', () => {
    const json = { data: items, next_cursor: '2' }
    expect(read(json, { link: '<?limit=2&page_token=2>; rel=next' })).toMatchObject({
      next: { parameter: 'page_token', cursor: '2' },
    })
    expect(read(json, { link: '<http://inside:8080/?page_token=2>; rel=next' })).toMatchObject({
      next: { parameter: 'cursor', cursor: '2' },
    })
  })

  test('the settings say where it stands and how it goes back', () => {
    const wire = { nextPath: 'meta.page.next', cursorParam: 'page' }
    expect(read({ data: items, next_cursor: 'x', meta: { page: { next: 3 } } }, {}, wire)).toMatchObject({
      next: { address: '/v1/contacts?limit=2&page=3' },
    })
    expect(read({ data: items, next_cursor: 'x' }, {}, wire)).toMatchObject({ next: undefined, isEndKnown: false })
    expect(read({ data: items, meta: { page: { next: null } } }, {}, wire)).toMatchObject({ isEndKnown: true })
    expect(
      read({ value: items, '@odata.nextLink': address }, {}, { itemsPath: 'value', nextPath: '@odata.nextLink' }),
    ).toMatchObject({ next: { address } })
  })

  test.each([
    [{ data: items, links: { next: 'https://evil.example/v1/contacts' } }, {}, 'https://evil.example'],
    [items, { link: '<//evil.example/x>; rel=next' }, 'https://evil.example'],
    [{ data: items, next: 'http://crm.example.com/v1/contacts?page=2' }, {}, 'http://crm.example.com'],
    [{ data: items, next: 'https://user:pw@crm.example.com/' }, {}, 'https://user:pw@crm.example.com/'],
  ])('%j %j leads elsewhere, and both origins are named', (json, headers, where) => {
    expect(read(json, headers as Record<string, string>)).toBe(
      `the next page is at ${where}, but the key belongs to https://crm.example.com: nothing was sent there`,
    )
  })
})

test.each<[unknown, string]>([
  [{ people: items, total: 3 }, 'expected a list, got an object with people, total'],
  [{}, 'expected a list, got an empty object'],
  [{ data: { id: '1', tags: [] } }, 'expected a list, got an object with data'],
  ['x', 'expected a list, got "x"'],
  [null, 'expected a list, got null'],
  [{ data: ['con_1'] }, 'the list contains something that is not a record'],
  [{ edges: [{ cursor: 'c' }] }, 'the list contains something that is not a record'],
  [[null], 'the list contains something that is not a record'],
  [{ data: [], has_more: true }, 'there are more records, but no cursor for them'],
  [{ data: items, next_cursor: null, has_more: true }, 'there are more records, but no cursor for them'],
  [{ data: [], next_cursor: { after: 1 } }, 'the cursor is not a string: {"after":1}'],
])('%j is no page', (json, complaint) => {
  expect(read(json)).toBe(complaint)
})
