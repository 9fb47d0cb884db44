import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { RateWindows } from '../../src/service/rate-limit.ts'
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

test('every answer to a key has its quota, also failures; answers without a key have none', async () => {
  const { send } = await serveForTest({ now: () => START_MS, rateLimit: { requests: 9, windowMs: 1000 } })
  for (const path of ['/v1/contacts?limit=0', '/v1/contacts?nope=1', '/v1/pipelines/none/stages']) {
    expect((await send('GET', path)).headers.has('ratelimit')).toBe(true)
  }
  expect((await send('GET', '/v1/contacts', undefined, { authorization: '' })).headers.has('ratelimit')).toBe(false)
  expect((await send('GET', '/healthz')).headers.has('ratelimit')).toBe(false)
})

test('without a limit there are no rate limit headers', async () => {
  const { send } = await serveForTest()
  const { headers } = await send('GET', '/v1/contacts')
  expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
})

test('a clock that steps back opens a new window', async () => {
  const limiter = new RateWindows()
  const limit = { requests: 1, windowMs: 1000 }
  expect((await limiter.take('a', limit, START_MS)).left).toBe(0)
  expect((await limiter.take('a', limit, START_MS)).left).toBe(-1)
  expect((await limiter.take('a', limit, START_MS - 5000)).left).toBe(0)
})

test('a key with its own rate is limited by it, and one with rate none is unlimited', async () => {
  const { send, addKey } = await serveForTest({ now: () => START_MS, rateLimit: { requests: 1, windowMs: 10_000 } })
  const partner = await addKey(['read'], { rate: { requests: 3, windowMs: 60_000 } })
  const unlimited = await addKey(['read'], { rate: 'none' })
  const statuses = async (key: string) => {
    const answers = []
    for (let n = 0; n < 4; n++) {
      answers.push(await send('GET', '/v1/contacts', undefined, { authorization: `Bearer ${key}` }))
    }
    return { statuses: answers.map(({ status }) => status), policy: answers[0]?.headers.get('ratelimit-policy') }
  }
  expect(await statuses(partner.text)).toEqual({ statuses: [200, 200, 200, 429], policy: '"default";q=3;w=60' })
  expect(await statuses(unlimited.text)).toEqual({ statuses: [200, 200, 200, 200], policy: null })
})

test('no request of a key is rejected while another key exceeds its rate', async () => {
  const { send, addKey } = await serveForTest({ rateLimit: { requests: 5, windowMs: 60_000 } })
  const partner = await addKey(['read'], { rate: { requests: 10_000, windowMs: 10_000 } })
  const other = async () => (await send('GET', '/v1/contacts')).status
  const own = async () =>
    (await send('GET', '/v1/contacts', undefined, { authorization: `Bearer ${partner.text}` })).status
  const all = await Promise.all(Array.from({ length: 200 }, async () => [await other(), await own()]))
  expect(all.filter(([status]) => status === 200).length).toBeLessThanOrEqual(10)
  expect(all.map(([, status]) => status)).toEqual(Array(200).fill(200))
})

test('a client that follows the headers is never rejected', async () => {
  let nowMs = START_MS + 700
  const { send } = await serveForTest({ now: () => nowMs, rateLimit: { requests: 7, windowMs: 2000 } })
  let [left, waitMs] = [1, 0]
  for (let sent = 0; sent < 100; ) {
    if (left === 0) nowMs += waitMs
    const answers = await Promise.all(Array.from({ length: Math.max(1, left) }, () => send('GET', '/v1/contacts')))
    sent += answers.length
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const quotas = answers.map(({ headers }) => parseList(headers.get('ratelimit') ?? '')[0]?.[1])
    left = Math.min(...quotas.map((parameters) => Number(parameters?.get('r'))))
    waitMs = Number(quotas[0]?.get('t')) * 1000
    nowMs += 130
  }
})
