import corpus from 'big-list-of-naughty-strings' with { type: 'json' }
import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATE_COUNT = 0x800
const CODE_POINTS = 0x110000 - SURROGATE_COUNT

/** Any but a half of a pair. `unit: 'binary'` of fast-check fills a map of 1.1 million code points at its first use. */
export const anyCodePoint = fc
  .integer({ min: 0, max: CODE_POINTS - 1 })
  .map((at) => String.fromCodePoint(at < SURROGATES_START ? at : at + SURROGATE_COUNT))

/** Without those that a file of --csv-safe would have, about which an import asks. */
export const isUndefused = (text: string): boolean => !/^'+[=+\-@]/.test(text)

/** What JavaScript has on every object, among others. */
const NAMES_OF_OBJECTS = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'key',
]

/** What `fc.string({ unit: 'binary' })` makes, and names of members that every object has. */
export function anyText(limits: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  const unit = fc.oneof(
    { weight: 3, arbitrary: anyCodePoint },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)) },
  )
  const drawn = { weight: 20, arbitrary: fc.string({ unit, ...limits }) }
  return limits.maxLength === undefined
    ? fc.oneof(drawn, { weight: 1, arbitrary: fc.constantFrom(...NAMES_OF_OBJECTS) })
    : drawn.arbitrary
}

/** Texts that have broken software: the corpus big-list-of-naughty-strings, and others that occur in a CRM. */
export const NAUGHTY: readonly string[] = [
  ...corpus,
  '\x1b[2J\x1b]0;owned\x07',
  'a\r\nb\tc\\d"e,f;g',
  '\u202egnp.exe',
  'e\u0301\u0301\u0301',
  '日本語 👩‍💻 🇩🇪',
  'x'.repeat(10_000),
  ' both ends ',
  '\u0000\u0085\u2028\ufeff',
  "'=1+1",
  '2026-01-01',
  '1e3',
  '0x1F',
  '12:30:45',
  '<<',
  'No',
]
