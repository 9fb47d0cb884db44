import { expect, test } from 'vitest'
import { EndpointLimits } from '../../../src/service/delivery/try-outcome.ts'

const MINUTE_MS = 60_000

test('the limit of an endpoint that answers rises to a bound; without answers it falls', () => {
  const limits = new EndpointLimits()
  expect(limits.limitOf('wh_1', 0)).toBe(4)
  for (let n = 0; n < 20; n++) limits.record('wh_1', 'healthy')
  expect(limits.limitOf('wh_1', 0)).toBe(64)
  limits.record('wh_1', 'unknown')
  expect(limits.limitOf('wh_1', 0)).toBe(64)
  for (let n = 0; n < 20; n++) limits.record('wh_1', 'overloaded')
  expect(limits.limitOf('wh_1', 0)).toBe(2)
  expect(limits.limitOf('wh_2', 0)).toBe(4)
})

test('a pause lasts as requested, at most five minutes, and a shorter one does not end it', () => {
  const limits = new EndpointLimits()
  limits.pause('wh_1', 2000, 0)
  limits.pause('wh_1', 1000, 0)
  expect([1999, 2000].map((nowMs) => limits.limitOf('wh_1', nowMs))).toEqual([0, 4])
  limits.pause('wh_1', 60 * MINUTE_MS, 0)
  expect([5 * MINUTE_MS - 1, 5 * MINUTE_MS].map((nowMs) => limits.limitOf('wh_1', nowMs))).toEqual([0, 4])
})
