import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStyles, documentForTerminal, fitText, shouldColor, textWidth } from '../../src/output/terminal-text.ts'

test.each([
  ['', 0],
  ['plain', 5],
  ['Zoë', 3],
  ['e\u0301', 1],
  ['日本', 4],
  ['ｆｕｌｌ', 8],
  ['ﾊﾝｶｸ', 4],
  ['한글', 4],
  ['\u1112\u1161\u11ab', 2],
  ['👍', 2],
  ['👍🏽', 2],
  ['👩‍💻', 2],
  ['👨‍👩‍👧‍👦', 2],
  ['🇩🇪🇫🇷', 4],
  ['🇩', 1],
  ['1️⃣', 2],
  ['❤️', 2],
  ['❤', 1],
  ['⌚', 2],
  ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 2],
  ['ไทย', 3],
  ['กำ', 2],
  ['…—’', 3],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

test.each([
  ['plain', 5, 'plain'],
  ['plain', 4, 'pla…'],
  ['plain', 1, '…'],
  ['plain', 0, ''],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['日本語', 2, '…'],
  ['👩‍💻👩‍💻', 3, '👩‍💻…'],
  ['👩‍💻👩‍💻', 2, '…'],
  ['🇩🇪🇫🇷', 3, '🇩🇪…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%s in %i columns is %s', (text, width, fitted) => {
  expect(fitText(text, width)).toBe(fitted)
})

const cell = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'é', 'e\u0301', '日', '👩‍💻', '🇩🇪', '🇩', '1️⃣', '👍🏽', '\u0301', '한', 'क्षि', '❤️'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
})

test('a fitted cell is never wider than its column', () => {
  fc.assert(
    fc.property(cell, fc.nat(30), (text, width) => textWidth(fitText(text, width)) <= width),
    { numRuns: 500 },
  )
})

test('a cell that fits is unchanged, and any other is its beginning and an ellipsis', () => {
  fc.assert(
    fc.property(cell, fc.integer({ min: 1, max: 30 }), (text, width) => {
      const fitted = fitText(text, width)
      return textWidth(text) <= width ? fitted === text : fitted.endsWith('…') && text.startsWith(fitted.slice(0, -1))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '', FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: '', TERM: 'dumb' }, true, false],
  ['auto', { CLICOLOR: '0' }, true, false],
  ['auto', { CLICOLOR: '1' }, true, true],
  ['auto', { CLICOLOR: '1' }, false, false],
  ['auto', { CLICOLOR_FORCE: '1' }, false, true],
  ['auto', { CLICOLOR_FORCE: '0' }, false, false],
  ['auto', { CLICOLOR_FORCE: '1', NO_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
  ['auto', {}, true, true],
  ['auto', {}, false, false],
] as const)('--color %s with %j on a terminal: %s, is %s', (flag, env, isTTY, color) => {
  expect(shouldColor({ flag, env, isTTY })).toBe(color)
})

test('styles add nothing without color, and nothing to an empty text', () => {
  expect(createStyles(false).bold('a')).toBe('a')
  expect(createStyles(true).red('a')).toBe('\x1b[31ma\x1b[39m')
  expect(createStyles(true).dim('')).toBe('')
})

const TEXT = '{"name":"a \\"b\\": 1","n":-12.50,"big":12345678901234567890,"ok":true,"gone":null,"list":[1,"x"],"e":{}}'

test('JSON is laid out with the digits that came, and colours change none of its characters', () => {
  const plain = documentForTerminal(TEXT, false)
  expect(plain).toContain('{\n  "name": "a \\"b\\": 1",\n  "n": -12.50,\n  "big": 12345678901234567890,')
  const colored = documentForTerminal(TEXT, true)
  expect(stripVTControlCharacters(colored)).toBe(plain)
  expect(colored).toContain('\u001b[1m"name"\u001b[22m: \u001b[32m"a \\"b\\": 1"\u001b[39m')
  expect(colored).toContain('\u001b[31m-12.50\u001b[39m')
  expect(colored).toContain('\u001b[2mnull\u001b[22m')
})

test('what a terminal would obey is escaped, in JSON and in other text', () => {
  expect(documentForTerminal('{"a":"\u009b31m\u202e"}', true)).not.toMatch(/[\u009b\u202e]/)
  expect(documentForTerminal('<b>\u001b[31m</b>\nend', true)).toBe('<b>\\x1b[31m</b>\nend')
})
