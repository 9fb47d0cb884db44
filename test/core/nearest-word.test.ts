import { expect, test } from 'vitest'
import { nearestWord } from '../../src/core/nearest-word.ts'

const WORDS = ['contact.created', 'contact.updated', 'deal.created', 'deal.*']

test.each([
  ['contcat.created', 'contact.created'],
  ['contacts.created', 'contact.created'],
  ['deals.*', 'deal.*'],
  ['deal.create', 'deal.created'],
  ['bogus', undefined],
  ['', undefined],
] as const)('%s: %s', (text, meant) => {
  expect(nearestWord(text, WORDS)).toBe(meant)
})
