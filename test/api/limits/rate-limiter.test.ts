import { expect, test } from 'vitest'
import { RateLimiter } from '../../../src/api/limits/rate-limiter.ts'

/** A wait ends a little after the reset. */
const MARGIN_MS = 20

function limiterAt(nowMs: number) {
  const clock = { nowMs }
  return { clock, limiter: new RateLimiter({ nowMs: () => clock.nowMs, wallMs: () => clock.nowMs }) }
}

/** An answer that states what is left; without a limit it states nothing. */
function answerWith(signal?: { remaining: number; resetInMs: number; limit: number }) {
  const { remaining, resetInMs = 0, limit } = signal ?? {}
  const headers = {
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetInMs / 1000),
    'ratelimit-limit': String(limit),
  }
  return { status: 201, headers: signal ? headers : {}, json: undefined }
}

/** How many may be sent, and what is answered to the next one. */
function takeAll(limiter: RateLimiter): [count: number, waitMs: number | undefined] {
  for (let count = 0; count < 1000; count += 1) {
    const waitMs = limiter.take()
    if (waitMs !== 0) return [count, waitMs]
  }
  return [1000, 0]
}

test('the first four requests reveal the limit; without one, all follow', () => {
  const { limiter } = limiterAt(0)
  expect(takeAll(limiter)).toEqual([4, undefined])
  limiter.answered(answerWith())
  expect(takeAll(limiter)).toEqual([1000, 0])
})

test('requests in flight count against what an answer left', () => {
  const { limiter } = limiterAt(0)
  takeAll(limiter)
  limiter.answered(answerWith({ remaining: 10, resetInMs: 5000, limit: 11 }))
  expect(takeAll(limiter)).toEqual([7, undefined])
})

test('a used-up limit is waited for until the earliest reset that an answer stated', () => {
  const { clock, limiter } = limiterAt(0)
  limiter.take()
  limiter.take()
  limiter.answered(answerWith({ remaining: 1, resetInMs: 2000, limit: 100 }))
  clock.nowMs = 100
  limiter.answered(answerWith({ remaining: 0, resetInMs: 2000, limit: 100 }))
  expect(limiter.take()).toBe(1900 + MARGIN_MS)
  clock.nowMs = 2000
  expect(takeAll(limiter)).toEqual([4, undefined])
})

test('answers out of order do not give back what is used up', () => {
  const { limiter } = limiterAt(0)
  for (let i = 0; i < 3; i += 1) limiter.take()
  limiter.answered(answerWith({ remaining: 0, resetInMs: 1000, limit: 50 }))
  limiter.answered(answerWith({ remaining: 1, resetInMs: 1000, limit: 50 }))
  expect(limiter.take()).toBe(1000 + MARGIN_MS)
  limiter.answered(answerWith({ remaining: 49, resetInMs: 1000, limit: 50 }))
  expect(takeAll(limiter)).toEqual([49, undefined])
})

test('a clock that is set back does not make a window longer than it was', () => {
  const { clock, limiter } = limiterAt(10_000_000)
  limiter.take()
  limiter.answered(answerWith({ remaining: 0, resetInMs: 1000, limit: 50 }))
  clock.nowMs = 0
  expect(limiter.take()).toBe(1000 + MARGIN_MS)
})

test('a failed connection does not make the limit forgotten', () => {
  const { clock, limiter } = limiterAt(0)
  limiter.take()
  limiter.answered(answerWith({ remaining: 5, resetInMs: 1000, limit: 2 }))
  clock.nowMs = 1000
  limiter.take()
  limiter.answered(undefined)
  expect(takeAll(limiter)).toEqual([2, undefined])
})
