import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeId, encodeId, FIRST_ID_MS, firstSerialAt, timeOfSerial } from '../../src/core/ids.ts'
import { STORED_RESOURCES } from '../../src/core/resources/registry.ts'
import { timeOrderedUuid } from '../../src/core/time-ordered-uuid.ts'

const kinds = fc.constantFrom(...STORED_RESOURCES, 'event' as const, 'key' as const, 'job' as const, 'change' as const)
const serials = fc.maxSafeNat()

test('an id decodes to its serial', () => {
  fc.assert(fc.property(kinds, serials, (kind, serial) => decodeId(kind, encodeId(kind, serial)) === serial))
})

test('ids of one kind have one length and sort as their serials do', () => {
  fc.assert(
    fc.property(kinds, serials, serials, (kind, left, right) => {
      const [leftId, rightId] = [encodeId(kind, left), encodeId(kind, right)]
      expect(leftId).toHaveLength(rightId.length)
      expect(Math.sign(left - right)).toBe(leftId < rightId ? -1 : leftId > rightId ? 1 : 0)
    }),
  )
})

test('an id consists of the prefix of its kind and eleven digits of Crockford base32', () => {
  expect(encodeId('contact', 0)).toBe('con_00000000000')
  expect(encodeId('webhook', 32 ** 5 + 31)).toBe('wh_0000010000z')
  expect(encodeId('event', Number.MAX_SAFE_INTEGER)).toBe('evt_7zzzzzzzzzz')
})

test('only an id of the kind decodes, and no serial has two ids', () => {
  for (const text of [
    '',
    'con_',
    '00000000000',
    'deal_00000000000',
    'con_0000000000',
    'con_000000000000',
    'con_80000000000',
    'con_0000000000i',
    'con_0000000000A',
    'con_0000000000\n',
    'con_00000000000\n',
    ' con_00000000000',
    'con_0000000000\u0660',
  ]) {
    expect(decodeId('contact', text), JSON.stringify(text)).toBeUndefined()
  }
  fc.assert(
    fc.property(kinds, fc.string(), (kind, text) => {
      const serial = decodeId(kind, text)
      return serial === undefined || encodeId(kind, serial) === text
    }),
  )
})

test('every serial of a millisecond decodes to that millisecond, up to the last one in 2089', () => {
  for (const timeMs of [FIRST_ID_MS, Date.UTC(2026, 10, 20, 12), Date.UTC(2089, 8, 6)]) {
    const first = firstSerialAt(timeMs)
    expect([timeOfSerial(first), timeOfSerial(first + 4095)]).toEqual([timeMs, timeMs])
    expect(timeOfSerial(first + 4096)).toBe(timeMs + 1)
  }
  expect(new Date(timeOfSerial(Number.MAX_SAFE_INTEGER)).toISOString()).toBe('2089-09-06T15:47:35.551Z')
})

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
