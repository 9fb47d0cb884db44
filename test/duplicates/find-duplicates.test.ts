import { expect, test } from 'vitest'
import { DuplicateFinder, type WinnerRule } from '../../src/duplicates/find-duplicates.ts'
import { parseMatchKeys } from '../../src/duplicates/match-key.ts'

function groupsOf(by: string, records: readonly Record<string, string>[], winner: WinnerRule = 'fullest') {
  const duplicates = new DuplicateFinder({ keys: parseMatchKeys(by), threshold: 0.9, winner })
  for (const [at, record] of records.entries()) duplicates.add({ id: `c${at}`, ...record })
  return [...duplicates.found()]
}

test('an email address is the same whatever its case, blanks and display name', () => {
  const records = [
    { email: 'ada@x.test' },
    { email: ' ADA@x.test ' },
    { email: '"Ada" <ada@X.test>' },
    { email: 'b@x.test' },
  ]
  expect(groupsOf('email', records)).toEqual([
    { by: 'email', key: 'ada@x.test', ids: ['c0', 'c1', 'c2'], winner: 'c0', score: 1 },
  ])
  expect(groupsOf('email=', records)).toEqual([])
})

test('a phone number is the same with and without its country, and another with another extension', () => {
  const phones = [
    '+49 30 1234567',
    '0049 (30) 1234567',
    '030-1234567',
    '+49 30 1234567 ext. 12',
    '030 1234567 x12',
    '12',
  ]
  const records = [...phones, '12'].map((phone) => ({ phone }))
  expect(groupsOf('phone', records).map(({ ids }) => ids)).toEqual([
    ['c0', 'c1', 'c2'],
    ['c3', 'c4'],
  ])
})

test('records that different keys connect are one group, which names the keys and the least similarity', () => {
  const records = [
    { name: 'Ada Lovelace', email: 'ada@x.test' },
    { name: 'A. King', email: 'ADA@x.test', phone: '+49 151 2345678' },
    { name: 'Ada Lovelacee', phone: '0151 2345678' },
    { name: 'Grace Hopper' },
  ]
  expect(groupsOf('email,phone,name~', records)).toMatchObject([
    { by: 'email,phone,name~', ids: ['c1', 'c0', 'c2'], winner: 'c1' },
  ])
  const [group] = groupsOf('name~', records)
  expect(group).toMatchObject({ by: 'name~', ids: ['c0', 'c2'], key: 'ada lovelace ~ ada lovelacee' })
  expect(group?.score).toBe(0.98)
})

test('both members of a joined key must agree, and an empty one agrees with nothing', () => {
  const records = [
    { name: 'Ada Lovelace', company: 'Orbit' },
    { name: 'Ada Lovelacee', company: 'Engines' },
    { name: 'Lovelace Ada', company: 'orbit ' },
    { name: 'Ada Lovelace' },
    { name: 'Ada Lovelace', company: '' },
  ]
  expect(groupsOf('name~+company', records).map(({ ids }) => ids)).toEqual([['c0', 'c2']])
})

test('the winner is the fullest record, the last changed or the first created; among equals the first of the list', () => {
  const times = (created: string, updated: string) => ({
    created_at: `2026-0${created}-01`,
    updated_at: `2026-0${updated}-01`,
  })
  const records = [
    { name: 'Ada Lovelace', ...times('2', '3') },
    { name: 'Ada Lovelace', company: 'Orbit', ...times('3', '4') },
    { name: 'Ada Lovelace', company: '', ...times('1', '2') },
    { name: 'Ada Lovelace', company: 'Orbit', ...times('4', '5') },
  ]
  const winnerBy = (rule: WinnerRule) => groupsOf('name', records, rule)[0]?.winner
  expect([winnerBy('fullest'), winnerBy('newest'), winnerBy('oldest')]).toEqual(['c1', 'c3', 'c2'])
})

test('a wrong key is named with what was expected', () => {
  expect(() => parseMatchKeys('email,')).toThrow('--by "email,": a member is empty')
  expect(() => parseMatchKeys('email,email')).toThrow('email is named twice')
  expect(() => parseMatchKeys('name~+company~')).toThrow('name~+company~ has two members with ~')
})
