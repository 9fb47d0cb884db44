import { describe, expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, openClient, WIRE } from './client-fixture.ts'

const RECORDS = Array.from({ length: 5 }, (_, n) => ({ id: `con_${n + 1}` }))

/** What a server answers to the page that starts at `start`; `next` is the index of the next one, or undefined at the end. */
interface Dialect {
  readonly name: string
  /** Reads the start of the page off the query. */
  start(query: URLSearchParams, path: string): number
  answer(items: readonly object[], next: number | undefined, origin: string): { json: unknown; headers?: object }
}

const from = (name: string) => (query: URLSearchParams) => Number(query.get(name) ?? 0)
const afterLast = (query: URLSearchParams) => Number((query.get('starting_after') ?? 'con_0').slice(4))
const textOf = (next: number | undefined) => (next === undefined ? null : String(next))

const DIALECTS: readonly Dialect[] = [
  {
    name: 'Link',
    start: from('offset'),
    answer: (items, next, origin) => ({
      json: items,
      headers: next === undefined ? {} : { link: `<${origin}/v1/contacts?offset=${next}&limit=2>; rel="next"` },
    }),
  },
  {
    name: 'next_cursor',
    start: from('cursor'),
    answer: (data, next) => ({ json: { data, next_cursor: textOf(next) } }),
  },
  {
    name: 'nextCursor',
    start: from('cursor'),
    answer: (items, next) => ({ json: { items, nextCursor: textOf(next) } }),
  },
  {
    name: 'meta.next_cursor',
    start: from('cursor'),
    answer: (records, next) => ({ json: { records, meta: { next_cursor: textOf(next) } } }),
  },
  {
    name: 'Pipedrive',
    start: from('cursor'),
    answer: (data, next) => ({ json: { success: true, data, additional_data: { next_cursor: textOf(next) } } }),
  },
  {
    name: 'HubSpot',
    start: from('after'),
    answer: (results, next) => ({
      json:
        next === undefined
          ? { results }
          : { results, paging: { next: { after: String(next), link: 'https://x.example' } } },
    }),
  },
  {
    name: 'Close',
    start: from('_cursor'),
    answer: (data, next) => ({ json: { data, cursor_next: textOf(next), cursor_previous: null } }),
  },
  {
    name: 'Twenty',
    start: afterLast,
    answer: (contacts, next) => ({
      json: {
        data: { contacts },
        pageInfo: { hasNextPage: next !== undefined, endCursor: `con_${next ?? RECORDS.length}` },
        totalCount: RECORDS.length,
      },
    }),
  },
  {
    name: 'Relay',
    start: afterLast,
    answer: (nodes, next) => ({
      json: {
        data: {
          contacts: {
            edges: nodes.map((node) => ({ node })),
            pageInfo: { hasNextPage: next !== undefined, endCursor: `con_${next}` },
          },
        },
      },
    }),
  },
  {
    name: 'Salesforce',
    start: (_query, path) => Number(/q01-(\d+)/.exec(path)?.[1] ?? 0),
    answer: (records, next) => ({
      json:
        next === undefined
          ? { totalSize: 5, done: true, records }
          : { totalSize: 5, done: false, nextRecordsUrl: `/services/data/v60.0/query/q01-${next}`, records },
    }),
  },
  {
    name: 'JSON:API',
    start: from('page[offset]'),
    answer: (data, next, origin) => ({
      json: { data, links: { next: next === undefined ? null : `${origin}/v1/contacts?page%5Boffset%5D=${next}` } },
    }),
  },
  {
    name: 'Django',
    start: from('offset'),
    answer: (results, next, origin) => ({
      json: { count: 5, next: next === undefined ? null : `${origin}/v1/contacts?offset=${next}`, results },
    }),
  },
  {
    name: 'Laravel',
    start: (query) => (Number(query.get('page') ?? 1) - 1) * Number(query.get('limit')),
    answer: (data, next) => ({
      json: { data, meta: { current_page: next === undefined ? 3 : next / 2, last_page: 3, total: RECORDS.length } },
    }),
  },
  {
    name: 'one that only numbers its pages',
    start: (query) => (Number(query.get('page') ?? 1) - 1) * Number(query.get('limit')),
    answer: (items, next) => ({ json: { items, page: next === undefined ? 3 : next / 2, total_pages: 3 } }),
  },
  {
    name: 'Stripe',
    start: afterLast,
    answer: (data, next) => ({ json: { object: 'list', data, has_more: next !== undefined } }),
  },
]

function startForeign({ start, answer }: Dialect) {
  return startServer((response, request) => {
    const origin = `http://${request.headers.host}`
    const { searchParams, pathname } = new URL(request.path, origin)
    const first = start(searchParams, pathname)
    const end = first + 2
    const { json, headers } = answer(RECORDS.slice(first, end), end < RECORDS.length ? end : undefined, origin)
    sendJson(response, 200, json, headers)
  })
}

describe.each(DIALECTS)('a server that pages as $name does', (dialect) => {
  test('is listed to its end, each record once', async () => {
    const { url, seen } = await startForeign(dialect)
    const pages = await allPages(openClient(url).api.contacts.list(ALL))
    expect(pages.flatMap((page) => page.items)).toEqual(RECORDS)
    expect(pages.map((page) => page.nextCursor === undefined)).toEqual([false, false, true])
    expect(seen).toHaveLength(3)
  })

  test('goes on at the cursor of a list that was cut, in another client', async () => {
    const { url } = await startForeign(dialect)
    const [page] = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 2 }))
    const rest = await allPages(openClient(url).api.contacts.list({ ...ALL, cursor: page?.nextCursor }))
    expect(rest.flatMap(({ items }) => items)).toEqual(RECORDS.slice(2))
  })
})

test.each([
  ['in links.next', (origin: string) => ({ json: { data: RECORDS, links: { next: `${origin}/v1/contacts?page=2` } } })],
  ['in next', (origin: string) => ({ json: { results: RECORDS, next: `${origin}/v1/contacts?page=2` } })],
  [
    'in nextRecordsUrl',
    (origin: string) => ({ json: { records: RECORDS, done: false, nextRecordsUrl: `${origin}/q` } }),
  ],
  [
    'in a Link header',
    (origin: string) => ({ json: RECORDS, headers: { link: `<${origin}/v1/contacts?page=2>; rel=next` } }),
  ],
])('a next page on another origin, %s, is not asked for, and both origins are named', async (_place, answer) => {
  const elsewhere = await startServer((response) => sendJson(response, 200, []))
  const { json, headers } = { headers: {}, ...answer(elsewhere.url.origin) }
  const { url } = await startServer((response) => sendJson(response, 200, json, headers))
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toBe(
    `cannot list contacts: the next page is at ${elsewhere.url.origin}, but the key belongs to ${url.origin}: nothing was sent there`,
  )
  expect(elsewhere.seen).toEqual([])
})

test('a repeated address is an error and not a loop', async () => {
  const { url, seen } = await startServer((response) =>
    sendJson(response, 200, { data: RECORDS, next: '/v1/contacts?page=2' }),
  )
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.message).toContain('next (/v1/contacts?page=2) returns the same page again')
  expect(seen).toHaveLength(5)
})

test('an address that leads back to the first page is an error at once', async () => {
  const { url, seen } = await startServer((response, request) =>
    sendJson(response, 200, { data: RECORDS, next: request.path }),
  )
  await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(seen).toHaveLength(1)
})

test('an address is requested unchanged, and a page longer than the remaining limit is cut', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, 200, {
      data: RECORDS.slice(2 * nth - 2, 2 * nth),
      next: `/list?limit=2&q=a%20b&page=${nth + 1}`,
    }),
  )
  const pages = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 3 }))
  expect(pages.at(-1)).toEqual({ items: RECORDS.slice(2, 3), nextCursor: undefined, isCut: true })
  expect(seen.map((request) => request.path)).toEqual(['/v1/contacts?limit=2', '/list?limit=2&q=a%20b&page=2'])
})

test('pages that are numbered keep their size when a limit ends in the middle of one', async () => {
  const { url, seen } = await startServer((response, request) => {
    const page = Number(new URL(request.path, 'http://list').searchParams.get('page') ?? 1)
    sendJson(response, 200, { data: RECORDS.slice(2 * page - 2, 2 * page), page, total_pages: 3 })
  })
  const pages = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 3 }))
  expect(pages.flatMap(({ items }) => items)).toEqual(RECORDS.slice(0, 3))
  expect(seen.map((request) => request.path)).toEqual(['/v1/contacts?limit=2', '/v1/contacts?limit=2&page=2'])
})

test('a server that answers every number with its first page is an error and not a loop', async () => {
  const { url, seen } = await startServer((response) =>
    sendJson(response, 200, { data: RECORDS.slice(0, 2), page: 1, total_pages: 3 }),
  )
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.message).toContain('page=2) returns the same page again')
  expect(error.details.hint).toContain('wire.cursor_param')
  expect(seen).toHaveLength(6)
})

test.each([
  [{ data: RECORDS, total: 900 }, /total states 900 records, but the list has 5/],
  [{ data: RECORDS, meta: { last_page: 3 } }, /meta\.last_page states 3 pages, but 1 was read/],
])('%j might be half a list, which is an error', async (json, reason) => {
  const { url } = await startServer((response) => sendJson(response, 200, json))
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toMatch(reason)
  expect(error.details.hint).toMatch(/crm doctor .*wire\.paging none/)
  const [page] = await allPages(openClient(url).api.contacts.list({ ...ALL, limit: 2 }))
  expect(page?.items).toHaveLength(2)
})

test.each([
  ['a bare list', (data: unknown) => data],
  ['a list in data', (data: unknown) => ({ data })],
])(
  '%s that fills its page, of a server that obeys the size, is an error; of one that ignores it, whole',
  async (_, answer) => {
    const obeying = await startServer((response, { path }) => {
      const size = Number(new URL(path, 'http://list').searchParams.get('limit'))
      sendJson(response, 200, answer(RECORDS.slice(0, size)))
    })
    const error = await failureOf(allPages(openClient(obeying.url).api.contacts.list(ALL)))
    expect(error.message).toMatch(/the first page has as many records as were requested/)
    const ignoring = await startServer((response) => sendJson(response, 200, answer(RECORDS.slice(0, 2))))
    const [page] = await allPages(openClient(ignoring.url).api.contacts.list(ALL))
    expect(page?.items).toHaveLength(2)
    expect(ignoring.seen).toHaveLength(4)
  },
)

test('a total of 50 beside 50 records is proven by a smaller size, and proves nothing where it is the length of the page', async () => {
  const fifty = Array.from({ length: 50 }, (_, n) => ({ id: `con_${n + 1}` }))
  const start = (totalOf: (length: number) => number) =>
    startServer((response, { path }) => {
      const data = fifty.slice(0, Number(new URL(path, 'http://list').searchParams.get('limit') ?? 50))
      sendJson(response, 200, { data, total: totalOf(data.length) })
    })
  const whole = await start(() => 50)
  const client = (url: URL) => openClient(url, { wire: { ...WIRE, pageSize: 100 } }).api
  expect((await allPages(client(whole.url).contacts.list(ALL))).flatMap(({ items }) => items)).toEqual(fifty)
  expect(whole.seen).toHaveLength(2)
  const cut = await start((length) => length)
  const error = await failureOf(allPages(client(cut.url).contacts.list(ALL)))
  expect(error.message).toContain('the server obeys the page size, and 50 records may be its maximum')
})

test('the settings name the parameters and the places that are not recognised', async () => {
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, 200, {
      payload: { rows: [{ id: `con_${nth}` }], page: { following: nth < 3 ? nth + 1 : null } },
    }),
  )
  const wire = {
    ...WIRE,
    limitParam: 'per_page',
    cursorParam: 'page',
    itemsPath: 'payload.rows',
    nextPath: 'payload.page.following',
  }
  const pages = await allPages(openClient(url, { wire }).api.contacts.list(ALL))
  expect(pages.flatMap((page) => page.items.map(({ id }) => id))).toEqual(['con_1', 'con_2', 'con_3'])
  expect(seen.map((request) => request.path)).toEqual([
    '/v1/contacts?per_page=2',
    '/v1/contacts?per_page=2&page=2',
    '/v1/contacts?per_page=2&page=3',
  ])
})

test('no size is sent where the settings say so', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, RECORDS))
  await allPages(openClient(url, { wire: { ...WIRE, limitParam: undefined } }).api.contacts.list(ALL))
  expect(seen[0]?.path).toBe('/v1/contacts')
})

test('a filter that the server takes for its cursor is refused before it would change its meaning', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 200, { results: RECORDS, paging: { next: { after: '7' } } }),
  )
  const error = await failureOf(allPages(openClient(url).api.deals.list({ ...ALL, filters: { after: '2020' } })))
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain('after is not a filter')
})
