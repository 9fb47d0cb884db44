import { expect, test } from 'vitest'
import { exactDigits, type JsonObject, parseExactJson, setAtPath } from '../../src/core/json.ts'

test.each(['12345678901234567890', '-9007199254740993', '1e400', '1.0000000000000000001', '0.12345678901234567891'])(
  '%s keeps its digits',
  (digits) => {
    const value = parseExactJson(`{"id":${digits},"list":[${digits}]}`)
    expect(JSON.stringify(value)).toBe(`{"id":${digits},"list":[${digits}]}`)
    expect(exactDigits((value as { id: unknown }).id)).toBe(digits)
  },
)

test.each(['1', '-1.5', '9007199254740991', '1e5', '1234567890123456'])('%s is a plain number', (digits) => {
  expect(parseExactJson(`{"pad":"1234567890123456","n":${digits}}`)).toEqual({
    pad: '1234567890123456',
    n: Number(digits),
  })
})

test.each([
  [['address', 'zone'], '{"address":{"city":"Rome","zone":"x"},"name":"A"}'],
  [['name', 'first'], '{"address":{"city":"Rome"},"name":{"first":"x"}}'],
  [['__proto__', 'zone'], '{"address":{"city":"Rome"},"name":"A","__proto__":{"zone":"x"}}'],
  [['constructor'], '{"address":{"city":"Rome"},"name":"A","constructor":"x"}'],
])('a member is set at %j, whatever is on the way to it', (path, expected) => {
  const fields: JsonObject = { address: { city: 'Rome' }, name: 'A' }
  setAtPath(fields, path, 'x')
  expect(JSON.stringify(fields)).toBe(expected)
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
})
