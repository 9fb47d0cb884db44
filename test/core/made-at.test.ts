import { expect, test } from 'vitest'
import { isMadeSince, isOlder, wasThereBefore } from '../../src/core/record-time.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const OLD = '2026-11-01T10:00:00Z'

test.each<[string, object]>([
  ['creation time', { created_at: OLD }],
  ['creation time without a zone', { created_at: '2026-11-01 10:00:00' }],
  ['day of creation', { created_at: '2026-11-01' }],
  ['last change, where it does not say when it was created', { updated_at: OLD }],
])('a record with an old %s existed before', (_, members) => {
  expect(isOlder({ id: '1', ...members }, NOW)).toBe(true)
})

test.each<[string, object]>([
  ['the day before, in a zone far behind', { created_at: '2026-11-21' }],
  ['the same time in a zone without a name', { created_at: '2026-11-21T11:00:00' }],
  ['year 1, for no change', { updated_at: '0001-01-01T00:00:00Z' }],
  ['1970, for no change', { updated_at: '1970-01-01T00:00:00Z' }],
  ['an old change of a record made now', { created_at: '2026-11-22T12:00:01Z', updated_at: OLD }],
  ['another member with an old time', { created: OLD, dateCreated: OLD, birthdate: '1990-12-10' }],
])('a record that shows %s is not known to have existed', (_, members) => {
  expect(isOlder({ id: '1', ...members }, NOW)).toBe(false)
})

test('a record that was changed more than a minute after it was created existed before its create', () => {
  const times = (created_at: string, updated_at: string) => wasThereBefore({ id: '1', created_at, updated_at }, 0)
  expect(times('2026-11-22T10:00:00.1Z', '2026-11-22T12:00:00Z')).toBe(true)
  expect(times('2026-11-22T12:00:00Z', '2026-11-22T12:00:59Z')).toBe(false)
})

test('two times in different notations, or days, are not compared', () => {
  const times = (created_at: string, updated_at: string) => wasThereBefore({ id: '1', created_at, updated_at }, 0)
  expect(times('2026-11-22T10:00:00', '2026-11-22T12:00:00Z')).toBe(false)
  expect(times('2026-11-21', '2026-11-22')).toBe(false)
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
})
