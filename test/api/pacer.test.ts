import { expect, test } from 'vitest'
import { Pacer } from '../../src/api/limits/pacer.ts'

function pacerAt(nowMs: number) {
  const clock = { nowMs }
  return { clock, pacer: new Pacer(() => clock.nowMs) }
}

/** How many are let through before the pacer says otherwise, and what it says then. */
function takeAll(pacer: Pacer): [count: number, waitMs: number | undefined] {
  for (let count = 0; count < 1000; count += 1) {
    const waitMs = pacer.take()
    if (waitMs !== 0) return [count, waitMs]
  }
  return [1000, 0]
}

test('the first few find out about the limit, and without one all follow', () => {
  const { pacer } = pacerAt(0)
  expect(takeAll(pacer)).toEqual([4, undefined])
  pacer.answered(undefined, true)
  expect(takeAll(pacer)).toEqual([1000, 0])
})

test('what is under way counts as not yet counted', () => {
  const { pacer } = pacerAt(0)
  takeAll(pacer)
  pacer.answered({ remaining: 10, resetInMs: 5000, limit: 11 }, true)
  expect(takeAll(pacer)).toEqual([7, undefined])
})

test('a limit that is used up is waited for until its reset, as the earliest answer told it', () => {
  const { clock, pacer } = pacerAt(0)
  pacer.take()
  pacer.take()
  pacer.answered({ remaining: 1, resetInMs: 2000, limit: 100 }, true)
  clock.nowMs = 100
  pacer.answered({ remaining: 0, resetInMs: 2000, limit: 100 }, true)
  expect(pacer.take()).toBe(1900)
  clock.nowMs = 2000
  expect(takeAll(pacer)).toEqual([4, undefined])
})

test('answers that overtake each other do not give back what is used up', () => {
  const { pacer } = pacerAt(0)
  for (let i = 0; i < 3; i += 1) pacer.take()
  pacer.answered({ remaining: 0, resetInMs: 1000, limit: 50 }, true)
  pacer.answered({ remaining: 1, resetInMs: 1000, limit: 50 }, true)
  expect(pacer.take()).toBe(1000)
  pacer.answered({ remaining: 49, resetInMs: 1000, limit: 50 }, true)
  expect(takeAll(pacer)).toEqual([49, undefined])
})

test('a clock that is set back does not make a window longer than it was', () => {
  const { clock, pacer } = pacerAt(10_000_000)
  pacer.take()
  pacer.answered({ remaining: 0, resetInMs: 1000, limit: 50 }, true)
  clock.nowMs = 0
  expect(pacer.take()).toBe(1000)
})

test('a connection that failed tells of no limit, and does not forget one', () => {
  const { clock, pacer } = pacerAt(0)
  pacer.take()
  pacer.answered({ remaining: 5, resetInMs: 1000, limit: 2 }, true)
  clock.nowMs = 1000
  pacer.take()
  pacer.answered(undefined, false)
  expect(takeAll(pacer)).toEqual([2, undefined])
})
