import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { answerText, parseTypedLine } from '../../src/completion/shells.ts'
import { safeText } from '../../src/output/safe-text.ts'
import { NAUGHTY } from '../output/naughty-strings.ts'

/** The COMP_WORDBREAKS of bash. */
const BREAKS = ' \t\n"\'@><=;|&(:'

function offered(line: string, words: readonly string[]): readonly string[] {
  const answer = { head: '', candidates: words.map((word) => ({ word, about: '' })), isOpen: true }
  return answerText('bash', answer, [line, BREAKS]).split('\n').slice(1, -1)
}

/** How bash itself reads these words. */
function readByBash(quoted: readonly string[]): readonly string[] {
  const script = `printf '%s\\0' ${quoted.join(' ')}`
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } })
    .split('\0')
    .slice(0, -1)
}

const HOSTILE = [
  '$(touch x)',
  '`touch x`',
  'it\'s "x"',
  'a\\b',
  '${HOME}',
  '{a,b}*?~',
  '~root',
  '#x',
  'a;b|c&d<e>f',
  'é;ü',
]

test('bash reads every offered word as exactly that word, and runs nothing in it', () => {
  const words = [...HOSTILE, ...NAUGHTY].filter((word) => word !== '' && safeText(word) === word)
  expect(words.length).toBeGreaterThan(300)
  expect(readByBash(offered('crm ', words))).toEqual(words)
  expect(readByBash(offered("crm '", words).map((text) => `'${text}'`))).toEqual(words)
  const withoutHistory = words.filter((word) => !word.includes('!'))
  expect(readByBash(offered('crm "', words).map((text) => `"${text}"`))).toEqual(withoutHistory)
})

test('a word with a line break, an escape sequence or a bidirectional override is not offered', () => {
  expect(offered('crm ', ['a\nb', '\u001b[31m', 'a\u202eb', 'good'])).toEqual(['good'])
})

test('a line is split as bash splits it, without expansions', () => {
  const words = (line: string) => parseTypedLine(line, BREAKS).words
  expect(words('crm contacts  get ')).toEqual(['crm', 'contacts', 'get', ''])
  expect(words(' crm deals create --set "name=a b" --set stage=Closed\\ W')).toEqual([
    ...['crm', 'deals', 'create', '--set', 'name=a b', '--set', 'stage=Closed W'],
  ])
  expect(words("crm a'b c'd 'x $(touch y)")).toEqual(['crm', 'ab cd', 'x $(touch y)'])
  expect(words('crm "a\\"b\\c" \'\' \\')).toEqual(['crm', 'a"b\\c', '', ''])
})

test('readline inserts the part after the last break, or after an open quote', () => {
  expect(parseTypedLine('crm --output=js', BREAKS).keptLength).toBe('--output='.length)
  expect(parseTypedLine('crm --output=js', ' ').keptLength).toBe(0)
  expect(parseTypedLine("crm --set stage='Cl", BREAKS)).toMatchObject({ quote: "'", keptLength: 'stage='.length })
  expect(parseTypedLine('crm a\\:b', BREAKS).keptLength).toBe(0)
})
