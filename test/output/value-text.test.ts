import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText } from '../../src/output/value-text.ts'
import { runs } from '../harness/sample.ts'
import { anyCodePoint } from './naughty-strings.ts'

test('characters that a terminal acts on are escaped', () => {
  expect(jsonText({ a: '\x1b\x7f\x9b\u202e\u2028\u2066\u200f' })).toBe(
    '{"a":"\\u001b\\u007f\\u009b\\u202e\\u2028\\u2066\\u200f"}',
  )
})

test('every parser reads the same value from it, at any indent', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCodePoint, maxDepth: 2 }), fc.nat(4), (value, indent) => {
      const text = jsonText(value, indent)
      const isSafe = !/[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(text)
      return isSafe && isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: runs(100, 25) },
  )
})
