import { expect, test } from 'vitest'
import { matchesAnyGlob } from '../../src/webhooks/event-filter.ts'

test.each([
  [['deal.*'], 'deal.created', true],
  [['deal.*'], 'deals.created', false],
  [['*.created'], 'contact.created', true],
  [['*.created'], 'contact.created.x', false],
  [['*'], 'anything', true],
  [['contact.created'], 'contact.created', true],
  [['contact.created'], 'contact.create', false],
  [['a*b*c'], 'a-b-c', true],
  [['a*b*c'], 'a-c-b', false],
  [['ab*ba'], 'aba', false],
  [['a**b'], 'ab', true],
  [['deal.*', 'note.created'], 'note.created', true],
  [[], 'anything', true],
  [[], undefined, true],
  [['*'], undefined, false],
])('%j, %s: %s', (globs, name, isMatch) => {
  expect(matchesAnyGlob(globs, name)).toBe(isMatch)
})

test('a glob with many stars takes linear time', () => {
  const startMs = performance.now()
  expect(matchesAnyGlob([`${'*a'.repeat(5000)}b`], 'a'.repeat(100_000))).toBe(false)
  expect(performance.now() - startMs).toBeLessThan(5000)
})
