import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type JsonValue, parseExactJson } from '../../src/core/json.ts'

/** RFC 8785 section 3.2.2 and 3.2.3, and the six files of its reference implementation (cyberphone/json-canonicalization). */
const VECTORS: readonly (readonly [name: string, input: string, canonical: string])[] = [
  [
    'section 3.2.2',
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    'section 3.2.3',
    String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['arrays.json', '[56,{"d":true,"10":null,"1":[ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
  [
    'french.json',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
  ],
  [
    'structures.json',
    '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
]

test.each(VECTORS)('RFC 8785, %s', (_, input, canonical) => {
  expect(canonicalJson(JSON.parse(input))).toBe(canonical)
})

test('the order of members does not matter, and the text reads back as the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const reversed = Object.fromEntries(Object.entries(record).reverse()) as JsonValue
      expect(canonicalJson(reversed)).toBe(canonicalJson(record as JsonValue))
      expect(JSON.parse(canonicalJson(record as JsonValue))).toEqual(JSON.parse(JSON.stringify(record)))
    }),
  )
})

test('numbers that do not fit a double keep their digits', () => {
  expect(canonicalJson(parseExactJson('{"b":1.0,"a":12345678901234567890,"c":1e400}'))).toBe(
    '{"a":12345678901234567890,"b":1,"c":1e400}',
  )
})
