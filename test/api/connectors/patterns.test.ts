import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { ConnectorMistake } from '../../../src/api/connectors/paths.ts'
import { checkPattern, patternTest } from '../../../src/api/connectors/patterns.ts'

it.each(['[a-z]+', '[A-Za-z0-9-]{1,63}', 'eu|us', '(eu|us)-[0-9]', 'a\\.b\\*+', '[)+*]+x'])('takes %s', (pattern) => {
  expect(() => checkPattern(pattern)).not.toThrow()
})

it.each([
  '(a+)+',
  '(a|a)*',
  '(?:a)',
  '(?=a)',
  '(a)\\1',
  'a*a*a*a*b',
  'a+?',
  'a{2,}{3}',
  '(',
  '[',
  '\\p{L}',
  'x'.repeat(101),
])('refuses %s', (pattern) => {
  expect(() => checkPattern(pattern)).toThrow(ConnectorMistake)
})

it('tests whole texts of at most 63 characters, quickly even at the limit', () => {
  expect(patternTest('[a-z]+')('acme')).toBe(true)
  expect(patternTest('a|b')('ab')).toBe(false)
  expect(patternTest('a+')('a'.repeat(64))).toBe(false)
  const startedMs = performance.now()
  for (let at = 0; at < 20; at++) patternTest('.*.*.*b')('a'.repeat(63))
  expect(performance.now() - startedMs).toBeLessThan(1000)
})
