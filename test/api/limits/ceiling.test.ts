import { expect, test } from 'vitest'
import { Ceiling } from '../../../src/api/limits/ceiling.ts'
import { RateLimiter } from '../../../src/api/limits/rate-limiter.ts'
import { sendJson } from '../answering-server.ts'
import { connectedTo } from '../connectors/connected.ts'

/** A clock that goes on by what is waited. */
function fakeClock() {
  const clock = {
    ms: 1000,
    nowMs: () => clock.ms,
    wait: async (ms: number) => {
      clock.ms += ms
    },
  }
  return clock
}

/** The largest number of times within `perMs`. */
function mostWithin(perMs: number, times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length))
}

test('a request counts until its time after its answer, and one in flight counts, too', () => {
  const clock = fakeClock()
  const ceiling = new Ceiling([{ requests: 2, perMs: 1000 }], clock.nowMs)
  ceiling.sent()
  ceiling.sent()
  expect(ceiling.waitMs()).toBeUndefined()
  clock.ms += 700
  ceiling.ended()
  expect(ceiling.waitMs()).toBe(1000)
  clock.ms += 999
  ceiling.ended()
  expect(ceiling.waitMs()).toBe(1)
  clock.ms += 1
  expect(ceiling.waitMs()).toBe(0)
})

test('the limit that allows the least is the stated one', () => {
  const clock = fakeClock()
  const limits = [
    { requests: 4, perMs: 1000 },
    { requests: 10, perMs: 10_000 },
  ]
  const ceiling = new Ceiling(limits, clock.nowMs)
  expect(new Ceiling([], clock.nowMs).rate).toBeUndefined()
  ceiling.sent()
  ceiling.sent()
  ceiling.ended()
  clock.ms += 300
  expect(ceiling.rate).toEqual({ limit: 10, windowMs: 10_000, remaining: 8, resetInMs: 9700 })
})

test('of several limits each holds, and other processes have their part', async () => {
  const limits = [
    { requests: 4, perMs: 1000 },
    { requests: 10, perMs: 10_000 },
  ]
  const [alone, shared] = [1, 2].map((processes) => {
    const clock = fakeClock()
    const ceiling = new Ceiling(limits, clock.nowMs)
    const share = () => ({ share: 1, processes })
    const limiter = new RateLimiter({ nowMs: clock.nowMs, wallMs: clock.nowMs, share, ceiling })
    const times = Array.from({ length: 30 }, () => {
      for (let waitMs = limiter.take() ?? 50; waitMs > 0; waitMs = limiter.take() ?? 50) clock.ms += waitMs
      limiter.answered({ status: 200, headers: {}, json: null })
      return clock.ms
    })
    return [mostWithin(1000, times), mostWithin(10_000, times)]
  })
  expect(alone).toEqual([4, 10])
  expect(shared).toEqual([2, 5])
})

test('the requests of a client keep to the limits of its connector, and of an operation', async () => {
  const clock = fakeClock()
  const times: Record<string, number[]> = { '/people': [], '/deals': [] }
  const lines = `limits: [{ requests: 4, per: 10s }]
objects:
  contacts: { path: /people, verbs: { get: {} }, fields: { name: n } }
  deals: { path: /deals, verbs: { get: { limits: [{ requests: 1, per: 5s }] } }, fields: { name: n } }`
  const { api } = await connectedTo(
    lines,
    (response, { path }) => {
      times[path.replace(/\/\d+$/, '')]?.push(clock.ms)
      sendJson(response, 200, { id: path.split('/').at(-1) })
    },
    undefined,
    { steadyMs: clock.nowMs, sleep: clock.wait },
  )
  await Promise.all(Array.from({ length: 9 }, (_, n) => api.contacts.get(`${n + 1}`)))
  for (const id of ['1', '2', '3']) await api.deals.get(id)
  const { '/people': people = [], '/deals': deals = [] } = times
  expect([people.length, deals.length]).toEqual([9, 3])
  expect(mostWithin(10_000, [...people, ...deals])).toBeLessThanOrEqual(4)
  expect(mostWithin(5000, deals)).toBe(1)
})
