import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { documentForTerminal } from '../../src/output/terminal-json.ts'

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
