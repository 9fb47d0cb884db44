import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ValueType, WireForm } from '../../src/connector/document.ts'
import { conversionOf, isSameValue } from '../../src/connector/field-values.ts'
import { type JsonValue, parseExactJson } from '../../src/core/json.ts'

it.each<[ValueType, WireForm | undefined, JsonValue, JsonValue]>([
  ['number', 'string', '12500.50', 12500.5],
  ['number', 'string', '-0.1', -0.1],
  ['integer', 'string', '9007199254740993', '9007199254740993'],
  ['number', 'string', '0.12345678901234567890', '0.12345678901234567890'],
  ['number', undefined, 'n/a', 'n/a'],
  ['number', 'cents', 1050, 10.5],
  ['number', 'cents', -5, -0.05],
  ['number', 'cents', 'n/a', 'n/a'],
  ['number', undefined, 5, 5],
  ['id', undefined, 7, '7'],
  ['string', undefined, 49151, '49151'],
  ['string', undefined, true, true],
  ['time', undefined, '2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z'],
  ['time', undefined, '2026-01-01T00:30:00.123456+02:00', '2025-12-31T22:30:00.123456Z'],
  ['time', undefined, '2026-01-01T00:30:00', '2026-01-01T00:30:00Z'],
  ['time', undefined, '2026-01-01', '2026-01-01'],
  ['time', undefined, 'yesterday', 'yesterday'],
  ['time', 'unix', 1_767_225_600, '2026-01-01T00:00:00Z'],
  ['time', 'unix_ms', '1767225600250', '2026-01-01T00:00:00.250Z'],
  ['time', 'unix_ms', -1, '1969-12-31T23:59:59.999Z'],
  ['time', 'unix', 1e18, 1e18],
  ['time', 'YYYY-MM-DD hh:mm:ss', '2026-01-01 12:00:00', '2026-01-01T12:00:00Z'],
  ['date', undefined, '2026-01-01', '2026-01-01'],
  ['date', 'rfc3339', '2026-01-01T00:00:00Z', '2026-01-01'],
  ['date', 'unix_ms', 1_767_225_600_000, '2026-01-01'],
  ['html', undefined, '<p>Fish &amp; <b>chips</b></p><p>twice</p>', 'Fish & chips\ntwice'],
  ['html', undefined, 7, '7'],
])('a %s in the form %s reads %j as %j', (type, as, wire, shown) => {
  expect(conversionOf(type, as).read(wire)).toEqual(shown)
})

it.each<[ValueType, WireForm | undefined, JsonValue, JsonValue | undefined]>([
  ['number', 'string', 12500.5, '12500.5'],
  ['number', undefined, '12500.50', 12500.5],
  ['number', undefined, 'many', undefined],
  ['number', 'cents', 10.5, 1050],
  ['number', 'cents', '0.29', 29],
  ['number', 'cents', 10.555, undefined],
  ['number', 'cents', 'many', undefined],
  ['integer', undefined, 1.5, undefined],
  ['integer', undefined, '7', 7],
  ['id', 'integer', '7', 7],
  ['id', 'integer', '007', undefined],
  ['id', 'integer', 'ines', undefined],
  ['id', undefined, 7, '7'],
  ['string', undefined, 49151, '49151'],
  ['html', undefined, 'Fish & <chips>\ntwice', 'Fish &amp; &lt;chips&gt;<br>twice'],
  ['time', undefined, '2026-01-01T12:00:00+01:00', '2026-01-01T12:00:00+01:00'],
  ['time', undefined, '2026-01-01', '2026-01-01T00:00:00Z'],
  ['time', undefined, '2026-02-30T00:00:00Z', undefined],
  ['time', undefined, 'soon', undefined],
  ['time', 'unix', '2026-01-01T01:00:00+01:00', 1_767_225_600],
  ['time', 'unix_ms', '2026-01-01T00:00:00.25Z', 1_767_225_600_250],
  ['time', 'YYYY-MM-DD hh:mm:ss', '2026-01-01T01:00:00+01:00', '2026-01-01 00:00:00'],
  ['date', undefined, '2026-01-01', '2026-01-01'],
  ['date', undefined, '2026-13-01', undefined],
  ['date', undefined, '2026-01-01T00:00:00Z', undefined],
  ['date', 'unix', '2026-01-01', 1_767_225_600],
  ['date', 'rfc3339', '2026-01-01', '2026-01-01T00:00:00Z'],
])('a %s in the form %s writes %j as %j', (type, as, shown, wire) => {
  expect(conversionOf(type, as).write(shown)).toEqual(wire)
})

it('keeps the digits of ids beyond 2^53', () => {
  const { read, write } = conversionOf('id', 'integer')
  expect(JSON.stringify(write('9007199254740993'))).toBe('9007199254740993')
  expect(read(parseExactJson('9007199254740993'))).toBe('9007199254740993')
})

it('compares numbers by value, times by instant, and other values as text', () => {
  expect(isSameValue('12500.50', 12500.5, 'number')).toBe(true)
  expect(isSameValue('9007199254740993', '9007199254740992', 'number')).toBe(false)
  expect(isSameValue('2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z', 'time')).toBe(true)
  expect(isSameValue('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', 'time')).toBe(false)
  expect(isSameValue('soon', 'later', 'time')).toBe(false)
  expect(isSameValue(7, '7', 'id')).toBe(true)
  expect(isSameValue(['a', 'b'], ['a'], 'any')).toBe(false)
  expect(isSameValue(null, '', 'string')).toBe(false)
  expect(isSameValue('a\r\nb', 'a\nb', 'html')).toBe(true)
  expect(isSameValue('a b', 'a\nb', 'html')).toBe(false)
})

it.each<[ValueType, WireForm | undefined]>([
  ['number', 'string'],
  ['number', undefined],
])('a %s in the form %s survives writing and reading', (type, as) => {
  const { read, write } = conversionOf(type, as)
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const wire = write(value)
      const back = read(JSON.parse(JSON.stringify(wire)))
      expect(isSameValue(back, value, type)).toBe(true)
    }),
  )
})

it.each<WireForm>(['unix_ms', 'rfc3339'])('a time in the form %s survives writing and reading', (as) => {
  const { read, write } = conversionOf('time', as)
  const times = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-01-01') })
  fc.assert(
    fc.property(times, (time) => {
      const back = read(write(time.toISOString()) ?? null)
      expect(isSameValue(back, time.toISOString(), 'time')).toBe(true)
    }),
  )
})
