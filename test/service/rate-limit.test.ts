import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { RateLimiter } from '../../src/service/rate-limit.ts'
import { serveForTest } from './serve-for-test.ts'

const START_MS = 1_770_000_000_000

test('a key gets its requests in each window and then 429 until the window ends', async () => {
  let nowMs = START_MS
  const { send } = await serveForTest({ now: () => nowMs, rateLimit: { requests: 2, windowMs: 10_000 } })
  nowMs += 2500
  await send('GET', '/v1/contacts')
  const last = await send('GET', '/v1/contacts')
  expect(Object.fromEntries(last.headers)).toMatchObject({
    'ratelimit-policy': '"default";q=2;w=10',
    ratelimit: '"default";r=0;t=8',
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': `${START_MS / 1000 + 10}`,
  })
  // An independent reader of structured fields (RFC 9651) understands both.
  for (const name of ['ratelimit-policy', 'ratelimit'])
    expect(parseList(last.headers.get(name) ?? '')[0]?.[0]).toBe('default')
  const refused = await send('POST', '/v1/contacts', { name: 'a' })
  expect(refused.json).toMatchObject({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    status: 429,
    code: 'rate_limited',
    'violated-policies': ['default'],
  })
  expect(refused.headers.get('retry-after')).toBe('8')
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=8')
  nowMs = START_MS + 10_000
  const next = await send('GET', '/v1/contacts')
  expect(next.json.data).toEqual([])
  expect(next.headers.get('ratelimit')).toBe('"default";r=1;t=10')
})

test('keys do not share a quota', async () => {
  const { send, addKey } = await serveForTest({ now: () => START_MS, rateLimit: { requests: 1, windowMs: 10_000 } })
  const other = { authorization: `Bearer ${(await addKey(['read'])).text}` }
  expect((await send('GET', '/v1/contacts')).status).toBe(200)
  expect((await send('GET', '/v1/contacts')).status).toBe(429)
  expect((await send('GET', '/v1/contacts', undefined, other)).status).toBe(200)
})

test('every answer to a key tells its quota, failures too, and an answer to nobody does not', async () => {
  const { send } = await serveForTest({ now: () => START_MS, rateLimit: { requests: 9, windowMs: 1000 } })
  for (const path of ['/v1/contacts?limit=0', '/v1/contacts?nope=1', '/v1/pipelines/none/stages']) {
    expect((await send('GET', path)).headers.has('ratelimit')).toBe(true)
  }
  expect((await send('GET', '/v1/contacts', undefined, { authorization: '' })).headers.has('ratelimit')).toBe(false)
  expect((await send('GET', '/healthz')).headers.has('ratelimit')).toBe(false)
})

test('without a limit there are no headers about one', async () => {
  const { send } = await serveForTest()
  const { headers } = await send('GET', '/v1/contacts')
  expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
})

test('a clock that steps back opens a window, and shuts nobody out', () => {
  const limiter = new RateLimiter({ requests: 1, windowMs: 1000 })
  expect(limiter.take('a', START_MS).left).toBe(0)
  expect(limiter.take('a', START_MS).left).toBe(-1)
  expect(limiter.take('a', START_MS - 5000).left).toBe(0)
})
