import { expect, test } from 'vitest'
import { nearest } from '../../src/core/nearest.ts'

const FIELDS = ['name', 'email', 'phone', 'company', 'owner_id']

test.each([
  ['emial', 'email'],
  ['nmae', 'name'],
  ['Fone', 'phone', 'too far for a short word'],
  ['compnay', 'company'],
  ['ownerid', 'owner_id'],
  ['country', 'company', 'another word'],
  ['fax', 'name', 'another word'],
  ['', 'name', 'nothing'],
])('%s, compared with %s', (text, field, reason?: string) => {
  expect(nearest(text, FIELDS)).toBe(reason === undefined ? field : undefined)
})

test.each([
  ['contcat.created', 'contact.created'],
  ['contacts.created', 'contact.created'],
  ['deals.*', 'deal.*'],
  ['bogus', undefined],
] as const)('the event kind %s suggests %s', (text, meant) => {
  expect(nearest(text, ['contact.created', 'contact.updated', 'deal.created', 'deal.*'])).toBe(meant)
})
