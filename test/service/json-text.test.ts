import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonTextError, nodeText, parseJsonText, parseSentJson } from '../../src/service/json-text.ts'

const compact = (text: string): string => nodeText(parseJsonText(text))

function faultOf(text: string): JsonTextError | undefined {
  try {
    parseJsonText(text)
    return undefined
  } catch (error) {
    if (error instanceof JsonTextError) return error
    throw error
  }
}

test('white space is removed; digits, escapes and the order of members are kept', () => {
  const text = '{ "b" : [ 1.50 , -0, 12345678901234567890 ],\n"2":"\\u0041\\/\\ud800", "1" : {"__proto__":{"x":1e2}} }'
  expect(compact(text)).toBe('{"b":[1.50,-0,12345678901234567890],"2":"A/\\ud800","1":{"__proto__":{"x":1e2}}}')
})

test.each([
  ['{"a":1,"b":2,"\\u0061":3}', 13, '"a"'],
  ['[{"a":{"":1,"":1}}]', 12, '""'],
  ['{"__proto__":1,"__proto__":1}', 15, '"__proto__"'],
])('a duplicate member name is rejected, however written: %s', (text, position, name) => {
  expect(faultOf(text)).toMatchObject({
    fault: 'duplicate_name',
    position,
    message: `duplicate member ${name}`,
  })
})

test('the same name in two objects is not a duplicate', () => {
  expect(compact('{"a":{"a":[{"a":1},{"a":1}]}}')).toBe('{"a":{"a":[{"a":1},{"a":1}]}}')
})

test.each(['"\\ud800"', '{"a":["x\\uDC00y"]}', '{"\\ud83d\\u0041":1}', '"\\ude00\\ud83d"'])(
  'a lone surrogate is rejected in a request and accepted in a stored record: %s',
  (text) => {
    expect(() => parseSentJson(text)).toThrow(expect.objectContaining({ fault: 'lone_surrogate' }))
    expect(faultOf(text)).toBeUndefined()
  },
)

test('a whole surrogate pair, and an escape of a backslash before a u, are text like any other', () => {
  expect(nodeText(parseSentJson('["\\ud83d\\ude00","\\\\ud800"]'))).toBe('["\ud83d\ude00","\\\\ud800"]')
})

test('it accepts what JSON.parse accepts, with the same value', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      const value: unknown = JSON.parse(text)
      expect(JSON.parse(compact(JSON.stringify(value, undefined, space)))).toEqual(value)
    }),
  )
})

test('it rejects what JSON.parse rejects, and numbers beyond every double', () => {
  const pieces = fc.constantFrom(...'{}[]:,"\\ \n\t-+.eE019u', '"a"', '"\\u00', 'true', 'nul', 'null', '1e5', '\u0000')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('')
      const isJson = (() => {
        try {
          // A number beyond the range of a double is rejected as well.
          JSON.parse(text, (_, value) => {
            if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError(text)
            return value
          })
          return true
        } catch {
          return false
        }
      })()
      expect(faultOf(text) === undefined).toBe(isJson)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['', 0, 'expected a value'],
  ['{"a":x}', 5, 'expected a value'],
  ['{"a" 1}', 5, 'expected a colon'],
  ['{"a":1 "b"', 7, 'expected a comma or the end of the object'],
  ['[1 2]', 3, 'expected a comma or the end of the array'],
  ['{a:1}', 1, 'expected a member name in double quotes'],
  ['"a\nb"', 2, 'expected the end of the string'],
  ['"\\x"', 1, 'unknown escape'],
  ['1 2', 2, 'expected the end'],
  ['\ufeff{}', 0, 'expected a value'],
])('%j is malformed at %i: %s', (text, position, message) => {
  expect(faultOf(text)).toMatchObject({ fault: 'malformed', position, message })
})

test('a number beyond the range of a double is rejected, also when nested', () => {
  expect(faultOf('{"a":[{"b":1e400}]}')).toMatchObject({ fault: 'out_of_range', position: 11 })
  expect(faultOf('1e308')).toBeUndefined()
})

test('a hundred levels are accepted, and more are rejected at once', () => {
  expect(faultOf(`${'['.repeat(100)}1${']'.repeat(100)}`)).toBeUndefined()
  expect(faultOf('['.repeat(100_000))).toMatchObject({ fault: 'too_deep' })
  expect(faultOf('{"a":'.repeat(100_000))).toMatchObject({ fault: 'too_deep' })
})
