import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, openClient } from './client-fixture.ts'

const SIZE = 2

type Envelope = (items: readonly object[], total: number, at: number) => { json: unknown; headers?: object }

/** Lists `count` records by offset; the first record of the list is deleted before the given requests. */
async function startShrinking(count: number, before: readonly number[], envelope: Envelope) {
  const records = Array.from({ length: count }, (_, n) => ({ id: `con_${n + 1}` }))
  return startServer((response, { path }, nth) => {
    if (before.includes(nth)) records.shift()
    const query = new URL(path, 'http://x').searchParams
    const limit = Number(query.get('limit') ?? SIZE)
    const at = Number(query.get('offset') ?? (Number(query.get('page') ?? 1) - 1) * limit)
    const { json, headers } = envelope(records.slice(at, at + limit), records.length, at)
    sendJson(response, 200, json, headers)
  })
}

const idsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => `con_${first + n}`).toSorted()

const ENVELOPES: Readonly<Record<string, Envelope>> = {
  'a total in the body': (data, total) => ({ json: { data, total } }),
  'X-Total-Count': (data, total) => ({ json: data, headers: { 'x-total-count': String(total) } }),
  'pages and a total': (data, total, at) => ({
    json: { data, meta: { page: at / SIZE + 1, total_pages: Math.ceil(total / SIZE), total } },
  }),
}

test.each(Object.entries(ENVELOPES))(
  'a record that a deletion moves to a page already read is not lost from a list with %s',
  async (_name, envelope) => {
    const { url } = await startShrinking(7, [2], envelope)
    const { api } = openClient(url)
    const ids = (await allPages(api.contacts.list(ALL))).flatMap(({ items }) => items.map(({ id }) => String(id)))
    expect(ids.toSorted()).toEqual(idsFrom(1, 7))
  },
)

test('a record that a deletion moves from a last page, which is then empty, is not lost', async () => {
  const { url } = await startShrinking(5, [3], (data, total) => ({ json: { data, total } }))
  const { api } = openClient(url)
  const ids = (await allPages(api.contacts.list(ALL))).flatMap(({ items }) => items.map(({ id }) => String(id)))
  expect(ids.toSorted()).toEqual(idsFrom(1, 5))
})

test('a list whose total stays the same is read without requesting a page again', async () => {
  const { url, seen } = await startShrinking(7, [], (data, total) => ({ json: { data, total } }))
  const { api } = openClient(url)
  expect((await allPages(api.contacts.list(ALL))).flatMap(({ items }) => items)).toHaveLength(7)
  expect(new Set(seen.map(({ path }) => path)).size).toBe(seen.length)
})

test('a filtered list whose total counts all records is read without requesting a page again', async () => {
  const { url, seen } = await startShrinking(5, [], (data) => ({ json: { data, total: 40 } }))
  const { api } = openClient(url)
  const pages = await allPages(api.contacts.list({ ...ALL, filters: { stage: 'won' } }))
  expect(pages.flatMap(({ items }) => items)).toHaveLength(5)
  expect(new Set(seen.map(({ path }) => path)).size).toBe(seen.length)
})

test('a list continued with --cursor is read without requesting a page again at its end', async () => {
  const { url, seen } = await startShrinking(5, [], (data, total, at) => ({
    json: { data, total, next: at + SIZE < total ? `/contacts?limit=${SIZE}&offset=${at + SIZE}` : null },
  }))
  const { api } = openClient(url)
  const [first] = await allPages(api.contacts.list({ ...ALL, limit: SIZE }))
  const before = seen.length
  const pages = await allPages(api.contacts.list({ ...ALL, cursor: first?.nextCursor }))
  expect(pages.flatMap(({ items }) => items)).toHaveLength(3)
  const paths = seen.slice(before).map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
})
