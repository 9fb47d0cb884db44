import { expect, test } from 'vitest'
import { fixedSchedule, standardSchedule } from '../../../src/service/delivery/try-outcome.ts'

test('the standard schedule has ten attempts in a little over three days', () => {
  const delayMs = standardSchedule(() => 0.5)
  const seconds = Array.from({ length: 11 }, (_, tries) => (delayMs(tries) ?? Number.NaN) / 1000)
  expect(seconds).toEqual([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, Number.NaN])
})

test('the standard schedule spreads attempts by a tenth in both directions', () => {
  expect([0, 0.5, 1].map((random) => standardSchedule(() => random)(1))).toEqual([4500, 5000, 5500])
  expect(standardSchedule(() => 1)(0)).toBe(0)
})

test('a custom schedule is exact to the millisecond', () => {
  const delayMs = fixedSchedule([0, 1000, 5000])
  expect([0, 1, 2, 3].map(delayMs)).toEqual([0, 1000, 5000, undefined])
})
