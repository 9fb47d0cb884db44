import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, safeText } from '../../src/output/safe-text.ts'
import { runs } from '../harness/sample.ts'
import { anyCodePoint, anyText } from './naughty-strings.ts'

test.each([
  ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['\x1b[31mred\x1b]0;title\x07', '\\x1b[31mred\\x1b]0;title\\x07'],
  ['\x00\x08\x7f\x9b\x85', '\\x00\\x08\\x7f\\x9b\\x85'],
  ['user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
  ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['zero\u200bwidth\ufeff\u00ad\u2060', 'zero\\u200bwidth\\ufeff\\xad\\u2060'],
  ['\ud800x\udc00', '\\ud800x\\udc00'],
  ['hidden\u{e0041}\u{e0042}', 'hidden\\u{e0041}\\u{e0042}'],
  ['A\u200dB', 'A\\u200dB'],
  ['a\ufe0fb', 'a\\ufe0fb'],
  ['\u115f\u3164', '\\u115f\\u3164'],
])('%j becomes %s', (text, safe) => {
  expect(safeText(text)).toBe(safe)
})

test.each([
  'Zoë O’Neil — «ñ»',
  'e\u0301 cafe\u0301',
  '日本語 한국어 ไทย हिन्दी العربية עברית',
  '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👍🏽 🇩🇪 1️⃣ ⌚',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'می\u200cخواهم',
  'क्\u200dष',
  '葛\u{e0100}城',
  'C:\\new\\x1b',
])('%s is unchanged', (text) => {
  expect(safeText(text)).toBe(text)
})

test('a joiner or selector without effect is shown, so that a run of them cannot hide text', () => {
  expect(safeText('👍\ufe0f\ufe0f')).toBe('👍\ufe0f\\ufe0f')
  expect(safeText('👍\u200d')).toBe('👍\\u200d')
  expect(safeText(`🏴\u{e0061}\u{e007f}`)).toBe('🏴\\u{e0061}\\u{e007f}')
})

/** Strings of mostly problematic characters. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '1', '👩', '💻', '🏽', '❤', '🇩', '🏴', '\u200c', '\u200d', '\ufe0f', '\ufe00', '葛', 'ک', '्'),
    fc.constantFrom('\x1b', '\n', '\u202e', '\u2067', '\u{e0067}', '\u{e0062}', '\u{e007f}', '\u{e0100}', '\ud800'),
    anyText({ minLength: 1, maxLength: 1 }),
  ),
})

test('safe text contains no control, bidirectional control, separator or unpaired surrogate', () => {
  const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/u
  fc.assert(
    fc.property(nasty, (text) => !unsafe.test(safeText(text))),
    { numRuns: 500 },
  )
})

test('making a safe text safe changes nothing', () => {
  fc.assert(
    fc.property(nasty, (text) => safeText(safeText(text)) === safeText(text)),
    { numRuns: 500 },
  )
})

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
