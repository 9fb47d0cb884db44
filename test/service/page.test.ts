import { expect, test } from 'vitest'
import { encodeCursor } from '../../src/service/page.ts'
import { rawRequest } from './raw-request.ts'
import { serveForTest, type TestService } from './serve-for-test.ts'

async function fill(send: TestService['send'], count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      send('POST', '/v1/deals', { name: `deal ${index}`, stage: index % 2 === 0 ? 'Lead' : 'Won' }),
    ),
  )
}

async function idsByLinks(send: TestService['send'], path: string): Promise<string[]> {
  const ids: string[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await send('GET', next)
    ids.push(...(page.json.data as { id: string }[]).map((row) => row.id))
    next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
    expect(page.json.has_more).toBe(next !== undefined)
    expect(page.json.next_cursor).toBe(next ? new URLSearchParams(next.split('?')[1]).get('cursor') : null)
  }
  return ids
}

test('following the links returns every record once, newest first, with the same filters', async () => {
  const { send } = await serveForTest()
  await fill(send, 23)
  const all = await idsByLinks(send, '/v1/deals?limit=5')
  expect(new Set(all).size).toBe(23)
  expect(all).toEqual(all.toSorted().toReversed())
  expect(await idsByLinks(send, '/v1/deals?limit=5&stage=Lead,Lost&amount%5Bgte%5D=1')).toEqual([])
  expect(await idsByLinks(send, '/v1/deals?stage=Lead%2CLost&limit=3')).toHaveLength(12)
})

test('a page has 50 records by default, and at most 500', async () => {
  const { send } = await serveForTest()
  await fill(send, 51)
  expect((await send('GET', '/v1/deals')).json.data).toHaveLength(50)
  expect((await send('GET', '/v1/deals?limit=500')).json.data).toHaveLength(51)
})

test('a page that ends with the last record has no next page', async () => {
  const { send } = await serveForTest()
  await fill(send, 3)
  expect((await send('GET', '/v1/deals?limit=3')).json).toMatchObject({ next_cursor: null, has_more: false })
})

test.each(['0', '501', '-1', '1.5', 'ten', '', '1e2', '0x10', '٣'])('limit=%s is rejected', async (limit) => {
  const { send } = await serveForTest()
  const answer = await send('GET', `/v1/contacts?limit=${encodeURIComponent(limit)}`)
  expect(answer.json).toMatchObject({ status: 400, errors: [{ parameter: 'limit', code: 'invalid_limit' }] })
})

test('a cursor works with another limit, and with its filters in another order', async () => {
  const { send } = await serveForTest()
  await fill(send, 6)
  const first = await send('GET', '/v1/deals?stage=Lead&pipeline_id=sales&limit=1')
  const rest = await send('GET', `/v1/deals?cursor=${first.json.next_cursor}&pipeline_id=sales&stage=Lead`)
  expect(rest.json.data).toHaveLength(2)
})

test('a cursor is rejected with other filters and another list', async () => {
  const { send } = await serveForTest()
  await fill(send, 3)
  const cursor = (await send('GET', '/v1/deals?limit=1')).json.next_cursor
  for (const path of ['/v1/contacts?', '/v1/deals?stage=Lead&', '/v1/pipelines/sales/stages?']) {
    expect((await send('GET', `${path}cursor=${cursor}`)).json).toMatchObject({
      status: 400,
      errors: [{ parameter: 'cursor', code: 'invalid_cursor', detail: expect.stringContaining('another list') }],
    })
  }
})

test.each(['', 'x', 'AAAA', '%00', 'con_1', '../..', 'a'.repeat(5000)])(
  'the invented cursor %j is rejected',
  async (cursor) => {
    const { send } = await serveForTest()
    expect((await send('GET', `/v1/contacts?cursor=${cursor}`)).json).toMatchObject({
      status: 400,
      errors: [{ parameter: 'cursor', code: 'invalid_cursor' }],
    })
  },
)

test.each([
  ['/v1/contacts', 'deal_0s9nekas400'],
  ['/v1/contacts', 'con_z0000000000'],
  ['/v1/deals', 'x'],
  ['/v1/pipelines/sales/stages', 'sales.gone'],
])('a cursor forged for %s around %s is rejected', async (path, id) => {
  const { send } = await serveForTest()
  const cursor = encodeCursor(id, JSON.stringify([path]))
  expect((await send('GET', `${path}?cursor=${cursor}`)).json).toMatchObject({
    status: 400,
    errors: [{ parameter: 'cursor', code: 'invalid_cursor' }],
  })
})

test('a cursor stays valid when its record is deleted', async () => {
  const { send } = await serveForTest()
  for (const name of ['a', 'b', 'c']) await send('POST', '/v1/contacts', { name })
  const first = await send('GET', '/v1/contacts?limit=2')
  for (const row of first.json.data as { id: string }[]) await send('DELETE', `/v1/contacts/${row.id}`)
  const rest = await send('GET', `/v1/contacts?cursor=${first.json.next_cursor}`)
  expect(rest.json.data).toMatchObject([{ name: 'a' }])
})

test('the link has the normalised path, however the request was written', async () => {
  const { url, key, send } = await serveForTest()
  await fill(send, 2)
  const authorization = `Authorization: Bearer ${key.text}\r\nConnection: close\r\n`
  for (const target of ['http://elsewhere.example/v1/deals?limit=1', '/v1/%64eals?limit=1']) {
    const received = await rawRequest(url, `GET ${target} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
    const next = /link: <(\/v1\/deals\?limit=1&cursor=.+)>/.exec(received)?.[1]
    expect((await send('GET', next ?? '')).json.data).toHaveLength(1)
  }
})
