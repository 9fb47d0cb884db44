import { expect, test } from 'vitest'
import type { Failure } from '../../../src/api/errors/failure.ts'
import { ObservedCapacity } from '../../../src/api/limits/observed-capacity.ts'
import { RateLimiter } from '../../../src/api/limits/rate-limiter.ts'
import type { Answer } from '../../../src/api/transport/answer.ts'

const CREATED: Answer = { status: 201, headers: {}, json: undefined }
const REFUSED: Failure = {
  ...{ code: 'rate_limited', reason: '', hint: '', rule: 'patient', isInDoubt: false },
  ...{ status: 429, headers: {} },
}
const LOST: Failure = { code: 'unreachable', reason: '', hint: '', rule: 'few', isInDoubt: false }

interface Limit {
  readonly perWindow: number
  readonly windowMs: number
  readonly isStated: boolean
  readonly answerMs?: number
  /** How far into its window the server is at the start. */
  readonly startMs?: number
}

/** A server with a fixed window, and processes of one account that send to it for so long; its clock is theirs. */
function simulate(limit: Limit, processes: number, forMs: number): { taken: number; refused: number } {
  const { answerMs = 20, startMs = 0 } = limit
  let nowMs = startMs
  let window = { id: -1, left: 0 }
  const counts = { taken: 0, refused: 0 }
  const due: { readonly atMs: number; readonly run: () => void }[] = []
  const all = Array.from(
    { length: processes },
    () =>
      new RateLimiter({
        ...{ nowMs: () => nowMs, wallMs: () => nowMs, share: () => ({ share: 1, processes }) },
        observed: new ObservedCapacity({ concurrency: undefined, most: 64 }),
      }),
  )
  const underWay = all.map(() => 0)
  const answer = () => {
    const id = Math.floor(nowMs / limit.windowMs)
    if (id !== window.id) window = { id, left: limit.perWindow }
    const isRefused = window.left === 0
    if (isRefused) counts.refused += 1
    else counts.taken += 1
    if (!isRefused) window.left -= 1
    const resetSeconds = Math.ceil(((id + 1) * limit.windowMs - nowMs) / 1000)
    const headers = limit.isStated
      ? {
          ratelimit: `"default";r=${window.left};t=${resetSeconds}`,
          'ratelimit-policy': `"default";q=${limit.perWindow};w=10`,
        }
      : {}
    return { ...(isRefused ? REFUSED : CREATED), headers }
  }
  for (; nowMs < startMs + forMs; nowMs++) {
    for (const one of due.splice(0)) one.atMs <= nowMs ? one.run() : due.push(one)
    for (const [at, limiter] of all.entries()) {
      while ((underWay[at] ?? 0) < limiter.concurrency && limiter.take() === 0) {
        underWay[at] = (underWay[at] ?? 0) + 1
        const outcome = answer()
        due.push({
          atMs: nowMs + answerMs,
          run: () => {
            underWay[at] = (underWay[at] ?? 0) - 1
            limiter.answered(outcome, answerMs)
          },
        })
      }
    }
  }
  return counts
}

const ALLOWED = { perWindow: 100, windowMs: 10_000 }
const FOR_MS = 120_000
const MOST = (100 * FOR_MS) / 10_000

test('a stated limit is used up, and almost nothing is refused', () => {
  const { taken, refused } = simulate({ ...ALLOWED, isStated: true }, 1, FOR_MS)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.95)
  expect(refused).toBeLessThanOrEqual(taken * 0.005)
})

test('two processes share a stated limit', () => {
  const { taken, refused } = simulate({ ...ALLOWED, isStated: true }, 2, FOR_MS)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.9)
  expect(refused).toBeLessThanOrEqual(taken * 0.01)
})

test.each([1, 2])('%i processes find a limit that is not stated: at most one request in 25 is refused', (processes) => {
  const { taken, refused } = simulate({ ...ALLOWED, isStated: false }, processes, FOR_MS)
  expect(refused / (taken + refused)).toBeLessThanOrEqual(0.04)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.95)
})

test.each([0, 2000, 4000, 6000, 8000])(
  'it is found within a minute on a slow server whose window began %i ms ago',
  (startMs) => {
    const { taken, refused } = simulate({ ...ALLOWED, isStated: false, answerMs: 80, startMs }, 1, 65_000)
    expect(refused / (taken + refused)).toBeLessThanOrEqual(0.04)
    expect(taken).toBeGreaterThanOrEqual(650 * 0.75)
  },
)

/** Sends one request after the other and returns how many were sent; `refuses` decides about the nth. */
function sendFor(forMs: number, capacity: ObservedCapacity, refuses: (nth: number) => boolean): number {
  let sent = 0
  for (let nowMs = 0; nowMs < forMs; nowMs++) {
    while (capacity.waitMs(nowMs, 0) === 0) {
      sent += 1
      capacity.sent(nowMs, 1)
      if (refuses(sent)) capacity.refused(nowMs)
      else capacity.succeeded(nowMs, { processes: 1 })
    }
  }
  return sent
}

test('a server that refuses one request in a hundred at any rate does not make the rate fall', () => {
  const capacity = new ObservedCapacity({ concurrency: 1, most: 64 })
  expect(sendFor(20_000, capacity, (nth) => nth % 100 === 0)).toBeGreaterThan(20 * 200)
})

test('a process with a small part of a window keeps half of the rate that another process has observed', () => {
  const capacity = new ObservedCapacity({ concurrency: 8, most: 64 })
  capacity.succeeded(0, { processes: 2, perSecond: 10 })
  for (let i = 0; i < 8; i++) capacity.refused(1)
  capacity.succeeded(10_000, { processes: 2, perSecond: 10 })
  expect(capacity.perSecond).toBe(5)
})

test('the rate grows again where a limit was raised', () => {
  const capacity = new ObservedCapacity({ concurrency: 1, most: 64 })
  capacity.adopt(10, 0)
  sendFor(30_000, capacity, () => false)
  expect(capacity.perSecond).toBeCloseTo(10 * 1.02 ** 30, 0)
})

test('a rate that outages have brought down is back within three minutes of the last one', () => {
  const capacity = new ObservedCapacity({ concurrency: 1, most: 64 })
  capacity.adopt(0.7, 0)
  sendFor(180_000, capacity, () => false)
  expect(capacity.perSecond).toBeGreaterThan(500)
})

/** So many answers that took so long. */
function answer(limiter: RateLimiter, count: number, tookMs: number, outcome: Answer | Failure = CREATED): void {
  for (let i = 0; i < count; i++) {
    limiter.force()
    limiter.answered(outcome, tookMs)
  }
}

function limiterWith(concurrency?: number): RateLimiter {
  const observed = new ObservedCapacity({ concurrency, most: 64 })
  return new RateLimiter({ nowMs: () => 0, wallMs: () => 0, observed })
}

test('eight requests are in flight until it is clear that there is no limit, then one more with each round of answers', () => {
  const limiter = limiterWith()
  answer(limiter, 1000, 20)
  expect(limiter.concurrency).toBe(8)
  answer(limiter, 9, 20)
  expect(limiter.concurrency).toBe(9)
  answer(limiter, 3000, 20)
  expect(limiter.concurrency).toBe(64)
})

test('no more requests are in flight where answers take a second', () => {
  const limiter = limiterWith()
  answer(limiter, 5000, 1000)
  expect(limiter.concurrency).toBe(8)
})

test('a request without an answer halves how many are in flight, down to one', () => {
  const limiter = limiterWith()
  answer(limiter, 1, 20, LOST)
  expect(limiter.concurrency).toBe(4)
  answer(limiter, 10, 20, LOST)
  expect(limiter.concurrency).toBe(1)
})

test('--concurrency is kept whatever the server does', () => {
  const limiter = limiterWith(32)
  answer(limiter, 2000, 20)
  answer(limiter, 10, 20, LOST)
  expect(limiter.concurrency).toBe(32)
})
