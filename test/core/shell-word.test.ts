import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWord } from '../../src/core/shell-words.ts'

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
