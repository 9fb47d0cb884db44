import { expect, test } from 'vitest'
import { isMadeSince, isOlder, wasThereBefore } from '../../src/core/made-at.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const OLD = '2026-11-01T10:00:00Z'
const OLD_SECONDS = Date.parse(OLD) / 1000

test.each<[string, object]>([
  ['created_at', { created_at: OLD }],
  ['createdAt without a zone', { createdAt: '2026-11-01 10:00:00' }],
  ['created in seconds', { created: OLD_SECONDS }],
  ['dateCreated in milliseconds', { dateCreated: OLD_SECONDS * 1000 }],
  ['date_added as a day', { date_added: '2026-11-01' }],
  ['CreatedDate as Salesforce writes it', { CreatedDate: '2026-11-01T10:00:00.000+0000' }],
  ['createdate below properties, as a text of digits', { properties: { createdate: `${OLD_SECONDS * 1000}` } }],
  ['add_time', { add_time: '2026-11-01 10:00:00' }],
  ['creationTime as .NET writes it', { creationTime: `/Date(${OLD_SECONDS * 1000})/` }],
  ['inserted_at as mail writes it', { inserted_at: 'Sun, 01 Nov 2026 10:00:00 GMT' }],
  ['a last change, where it does not say when it was created', { updated_at: OLD }],
  ['lastModifiedDate', { lastModifiedDate: OLD }],
])('a record with an old %s existed before', (_, members) => {
  expect(isOlder({ id: '1', ...members }, NOW)).toBe(true)
})

test.each<[string, object]>([
  ['the day before, in a zone far behind', { created: '2026-11-21' }],
  ['the same time in a zone without a name', { created_at: '2026-11-21T11:00:00' }],
  ['year 1, for no change', { updated_at: '0001-01-01T00:00:00Z' }],
  ['1970, for no change', { updated_at: '1970-01-01T00:00:00Z', modified: 0 }],
  ['a flag', { created: true, updated: false }],
  ['a count', { created: 1, updated: 12 }],
  ['a number of eight digits', { created: 20261101 }],
  ['a text that only Date.parse takes for a time', { created: 'yes 1', updated: '5' }],
  ['an old change of a record made now', { created_at: '2026-11-22T12:00:01Z', modified: OLD }],
  ['another member with an old time', { birthdate: '1990-12-10', due_at: OLD, last_contacted: OLD }],
])('a record that shows %s is not known to have existed', (_, members) => {
  expect(isOlder({ id: '1', ...members }, NOW)).toBe(false)
})

test('a time that was sent does not show that the record existed', () => {
  expect(isOlder({ id: '1', createdAt: OLD }, NOW, { createdAt: OLD })).toBe(false)
})

test('a record that was changed more than a minute after it was created existed before its create', () => {
  expect(wasThereBefore({ created: 1_795_000_000, updated: 1_795_000_061 }, 0, {})).toBe(true)
  expect(wasThereBefore({ created_at: '2026-11-22T10:00:00.1Z', updated_at: '2026-11-22T12:00:00Z' }, 0, {})).toBe(true)
  expect(wasThereBefore({ created_at: '2026-11-22T12:00:00Z', updated_at: '2026-11-22T12:00:59Z' }, 0, {})).toBe(false)
})

test('two times in different notations, or days, are not compared', () => {
  expect(wasThereBefore({ created_at: '2026-11-22T10:00:00', updated_at: '2026-11-22T12:00:00Z' }, 0, {})).toBe(false)
  expect(wasThereBefore({ created_at: '2026-11-21', updated_at: '2026-11-22' }, 0, {})).toBe(false)
})

test.each<[string, boolean | undefined]>([
  ['2026-11-22T12:00:01Z', true],
  ['2026-11-22T11:59:57Z', true],
  ['2026-11-22T11:59:00Z', false],
  ['2026-11-22T12:00Z', true],
  ['2026-11-22T11:59Z', undefined],
  ['2026-11-22 12:00:01', undefined],
  ['2026-11-22T21:00:01', undefined],
  ['2026-11-22', undefined],
  ['2026-11-20 12:00:00', false],
  ['2026-11-24 12:00:00', true],
  ['11/22/2026 11:00', undefined],
])('whether a record with the creation time %s was made since noon is %s', (created, isSince) => {
  expect(isMadeSince({ id: '1', created_at: created }, NOW)).toBe(isSince)
  expect(isMadeSince({ id: '1', createdAt: created }, NOW)).toBe(isSince)
})
