import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, openClient } from './client-fixture.ts'

const RECORDS = ['con_1', 'con_2', 'con_3', 'con_4', 'con_5'].map((id) => ({ id }))

/** Pages over RECORDS whose cursor is the index of the first record; `atLeast` ignores smaller limits. */
function startList(atLeast = 0) {
  return startServer((response, request) => {
    const query = new URL(request.path, 'http://list').searchParams
    const start = Number(query.get('cursor') ?? 0)
    const end = start + Math.max(atLeast, Number(query.get('limit')))
    const hasMore = end < RECORDS.length
    const data = RECORDS.slice(start, end)
    sendJson(response, 200, { data, next_cursor: hasMore ? String(end) : null, has_more: hasMore })
  })
}

test('a list without a limit is complete and asks for pages of the size that the profile has', async () => {
  const { url, seen } = await startList()
  const pages = await allPages(openClient(url).api.contacts.list(ALL))
  expect(pages.map((page) => page.items.length)).toEqual([2, 2, 1])
  expect(pages.flatMap((page) => page.items)).toEqual(RECORDS)
  expect(pages.at(-1)?.nextCursor).toBeUndefined()
  expect(seen.map((request) => request.path)).toEqual([
    '/v1/contacts?limit=2',
    '/v1/contacts?limit=2&cursor=2',
    '/v1/contacts?limit=2&cursor=4',
  ])
})

test('a limit asks for no more than is left, and the last page says where to go on', async () => {
  const { url, seen } = await startList()
  const pages = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 3 }))
  expect(pages.map((page) => page.items.length)).toEqual([2, 1])
  expect(pages.at(-1)?.nextCursor).toBe('3')
  expect(seen.at(-1)?.path).toBe('/v1/contacts?limit=1&cursor=2')
})

test('a record that a page repeats is listed once', async () => {
  const [ada, bob] = RECORDS
  const { url } = await startServer((response) => sendJson(response, 200, { data: [ada, bob, ada], next_cursor: null }))
  const pages = await allPages(openClient(url).api.contacts.list(ALL))
  expect(pages.flatMap((page) => page.items)).toEqual([ada, bob])
})

test('a list goes on where an earlier one stopped', async () => {
  const { url } = await startList()
  const pages = await allPages(openClient(url).api.contacts.list({ ...ALL, cursor: '3' }))
  expect(pages.flatMap((page) => page.items)).toEqual(RECORDS.slice(3))
})

test('a page that is longer than what is left is cut, and then has no cursor', async () => {
  const { url } = await startList(4)
  const pages = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 3 }))
  expect(pages).toEqual([{ items: RECORDS.slice(0, 3), nextCursor: undefined, isCut: true }])
})

test('a limit of none asks for nothing', async () => {
  const { url, seen } = await startList()
  expect(await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 0 }))).toEqual([])
  expect(seen).toHaveLength(0)
})

test('the next page is asked for only when it is wanted', async () => {
  const { url, seen } = await startList()
  for await (const page of openClient(url).api.contacts.list(ALL)) {
    expect(page.items).toHaveLength(2)
    break
  }
  expect(seen).toHaveLength(1)
})

test('filters go along on every page as they are', async () => {
  const { url, seen } = await startList()
  const filters = { 'amount[gte]': '10', name: 'A & B=C ü' }
  await allPages(openClient(url).api.deals.list({ ...ALL, filters }))
  for (const request of seen) {
    const query = new URL(request.path, 'http://list').searchParams
    expect(query.get('amount[gte]')).toBe('10')
    expect(query.get('name')).toBe('A & B=C ü')
  }
  expect(seen).toHaveLength(3)
})

test.each(['limit', 'cursor'])('%s is refused as a filter before anything is sent', async (name) => {
  const { url, seen } = await startList()
  const error = await failureOf(allPages(openClient(url).api.deals.list({ ...ALL, filters: { [name]: '1' } })))
  expect(error.code).toBe('not_supported')
  expect(seen).toHaveLength(0)
})

test('a repeated cursor is an error and not a loop', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, 200, { data: [{ id: `con_${nth}` }], next_cursor: nth % 2 ? 'a' : 'b', has_more: true }),
  )
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toBe('cannot list contacts: the server repeated the next page, a')
  expect(seen).toHaveLength(3)
})

test('a cursor that leads to itself is an error at once', async () => {
  const { url, seen } = await startServer((response, { path }) =>
    sendJson(response, 200, {
      data: [{ id: path.includes('cursor') ? 'con_1' : 'con_0' }],
      next_cursor: 'a',
      has_more: true,
    }),
  )
  await failureOf(allPages(openClient(url).api.contacts.list({ ...ALL, cursor: 'a' })))
  expect(seen).toHaveLength(2)
})

test('an empty page in the middle does not end the list', async () => {
  const { url } = await startServer((response, _request, nth) =>
    sendJson(response, 200, { data: nth === 2 ? [] : [{ id: `con_${nth}` }], next_cursor: nth < 3 ? `c${nth}` : null }),
  )
  const pages = await allPages(openClient(url).api.contacts.list(ALL))
  expect(pages.flatMap((page) => page.items)).toEqual([{ id: 'con_1' }, { id: 'con_3' }])
})

test('a page in the middle that fails is retried, and the pages before it are not lost', async () => {
  const { url } = await startServer((response, _request, nth) => {
    if (nth === 2) sendJson(response, 503, {})
    else sendJson(response, 200, { data: [{ id: `con_${nth}` }], next_cursor: nth === 1 ? 'c' : null })
  })
  const { api, waits } = openClient(url)
  const pages = await allPages(api.contacts.list(ALL))
  expect(pages.flatMap((page) => page.items)).toEqual([{ id: 'con_1' }, { id: 'con_3' }])
  expect(waits).toEqual([250])
})

test('a list that goes on with nothing but empty pages ends after a hundred', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, 200, { data: [], next_cursor: `c${nth}` }),
  )
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toBe(
    'cannot list contacts: 100 consecutive pages are empty, and each states that there are more',
  )
  expect(seen).toHaveLength(100)
})
