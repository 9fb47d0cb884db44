import { expect, test } from 'vitest'
import type { Failure } from '../../src/api/errors/failure.ts'
import { newRetryState, takeWaitMs } from '../../src/api/limits/waits.ts'

const outage: Failure = { code: 'server_error', reason: 'down', hint: '', rule: 'few', isInDoubt: false }
const limit: Failure = { ...outage, code: 'rate_limited', rule: 'patient' }

function waits(failure: Failure, maxWaitMs: number, random = () => 1): number[] {
  const state = newRetryState()
  const taken: number[] = []
  while (taken.length < 1000) {
    state.tries += 1
    const waitMs = takeWaitMs(failure, state, { maxWaitMs, random })
    if (waitMs === undefined) break
    taken.push(waitMs)
  }
  return taken
}

test('an outage is given three more tries, with waits that double', () => {
  expect(waits(outage, 60_000)).toEqual([250, 500, 1000])
})

test('jitter halves a wait at most', () => {
  expect(waits(outage, 60_000, () => 0)).toEqual([125, 250, 500])
})

test('a rate limit is waited for until the time is used up, at most 8 s at once', () => {
  expect(waits(limit, 30_000)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
})

test('a Retry-After is obeyed exactly, and ends with the maximum wait, not with a count', () => {
  expect(waits({ ...outage, retryAfterMs: 2000 }, 10_000, () => 0)).toEqual([2000, 2000, 2000, 2000, 2000])
})

test('a Retry-After of nothing does not become a busy loop', () => {
  expect(waits({ ...limit, retryAfterMs: 0 }, 1000)).toEqual([250, 500])
})

test('a Retry-After beyond the time left is not begun', () => {
  expect(waits({ ...limit, retryAfterMs: 61_000 }, 60_000)).toEqual([])
})

test('a failure that no retry corrects is not retried', () => {
  expect(waits({ ...outage, rule: 'never' }, 60_000)).toEqual([])
})
