import { expect, test } from 'vitest'
import { otherValues } from '../../src/core/other-values.ts'

test.each([
  ['the same', { name: 'Ada' }, { name: 'Ada' }],
  ['trimmed', { name: 'Ada  Lovelace ' }, { name: 'Ada Lovelace' }],
  ['in lower case', { email: 'Ada@Example.com' }, { email: 'ada@example.com' }],
  ['a number as a text', { amount: 5 }, { amount: '5.00' }],
  ['a text as a number', { score: '5' }, { score: 5 }],
  ['a telephone number without separators', { phone: '+49 (151) 123-45' }, { phone: '+4915112345' }],
  ['a day as a time', { due: '2026-01-01' }, { due: '2026-01-01T00:00:00.000Z' }],
  ['an empty text for null', { company: null }, { company: '' }],
  ['the referenced record', { owner: 'u_1' }, { owner: { id: 'u_1', name: 'Ines' } }],
  ['below attributes', { name: 'Ada' }, { id: '1', attributes: { name: 'ada' } }],
  ['absent', { name: 'Ada' }, { id: 'con_1' }],
  [
    'objects in a list, ordered otherwise and with more members',
    { a: [{ x: 1, y: 'B' }] },
    { a: [{ y: 'b', z: 0, x: 1 }] },
  ],
  ['an object with more members', { address: { city: 'Bonn' } }, { address: { city: 'Bonn', zip: '1' } }],
])('a member shown as %s counts as the same value', (_how, patch, record) => {
  expect(otherValues(record, patch)).toEqual([])
})

test('members with another value are named, also nested, and null', () => {
  expect(
    otherValues(
      {
        name: 'Old',
        score: null,
        phone: '+4915100000',
        address: { city: 'Köln' },
        tags: ['a', 'b'],
      },
      { name: 'New', score: 5, phone: '+4915112345', address: { city: 'Bonn' }, tags: ['b', 'a'] },
    ),
  ).toEqual([
    { member: 'name', asked: 'New', shown: 'Old' },
    { member: 'score', asked: 5, shown: null },
    { member: 'phone', asked: '+4915112345', shown: '+4915100000' },
    { member: 'address.city', asked: 'Bonn', shown: 'Köln' },
    { member: 'tags', asked: ['b', 'a'], shown: ['a', 'b'] },
  ])
})
