import { expect, test } from 'vitest'
import { timeOrderedUuid } from '../../src/core/time-ordered-uuid.ts'

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('the time is its first 48 bits, as in the example of RFC 9562', () => {
  expect(timeOrderedUuid(0x017f22e279b0)).toMatch(/^017f22e2-79b0-7/)
  expect(timeOrderedUuid()).toMatch(UUID_7)
})

test('keys of later milliseconds sort after earlier ones, and two of one millisecond differ', () => {
  const keys = [1, 2, 2 ** 40].map((nowMs) => timeOrderedUuid(nowMs))
  expect(keys.toSorted()).toEqual(keys)
  expect(timeOrderedUuid(5)).not.toBe(timeOrderedUuid(5))
})
