import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWord, shellWords } from '../../src/core/shell-words.ts'

test.each([
  ['node handler.js', ['node', 'handler.js']],
  [`  a  'b c'  "d \\" e" f\\ g h''i `, ['a', 'b c', 'd " e', 'f g', 'hi']],
  ['echo $HOME `id` ; rm -rf * | x', ['echo', '$HOME', '`id`', ';', 'rm', '-rf', '*', '|', 'x']],
  ["a ''", ['a', '']],
] as const)('%j', (text, words) => {
  expect(shellWords(text, '--exec')).toEqual(words)
})

test('words quoted for a shell are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      fc.pre(words[0] !== '' && words.every((word) => !word.includes('\0')))
      expect(shellWords(words.map(shellWord).join(' '), '--exec')).toEqual(words)
    }),
  )
})

test.each(['', '  ', "a 'b", 'a "b', "''"])('%j is not a command', (text) => {
  expect(() => shellWords(text, '--exec')).toThrow(/^--exec .* is not a command$/)
})

test('a plain path is unchanged', () => {
  expect(shellWord('/home/a/.config/crm/keys.json')).toBe('/home/a/.config/crm/keys.json')
})

test('a shell reads back any word', () => {
  const words = fc.sample(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
    50,
  )
  const script = `printf '%s\\0' ${[...words, "it's", '$(id)', 'a b', '-n'].map(shellWord).join(' ')}`
  const read = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
  expect(read).toEqual([...words, "it's", '$(id)', 'a b', '-n'])
})
