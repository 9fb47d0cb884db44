import { expect, test } from 'vitest'
import { MembersRead } from '../../src/core/members-read.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'

function slipOf(path: readonly string[], records: readonly CrmRecord[], described: readonly string[] = []) {
  const members = new MembersRead([{ flag: '--where', path, ifMeant: 'IF MEANT' }])
  for (const record of records) members.see([record])
  return members.slip('contacts', new Set(described))
}

test('a member that no record has is named, with a suggestion', () => {
  const slip = slipOf(['emial'], [{ id: '1', email: null }, { id: '2' }])
  expect(slip).toMatchObject({
    code: 'usage',
    message: '--where: none of the contacts that were read has the member emial',
    details: { hint: 'did you mean email? IF MEANT' },
  })
})

test('a nested member is looked for in the objects that could contain it', () => {
  expect(slipOf(['owner', 'nmae'], [{ owner: null }, { owner: { name: 'x' } }])?.message).toContain('owner.nmae')
  expect(slipOf(['owner', 'nmae'], [{ owner: null }, { owner: 'u_1' }, { owner: [] }])).toBeUndefined()
  expect(slipOf(['owner', 'name'], [{ owner: {} }, { owner: { name: 'x' } }])).toBeUndefined()
})

test.each([
  ['one record has it, even as null', ['vip'], [{ id: '1' }, { vip: null }], []],
  ['the server describes it', ['vip'], [{ id: '1' }], ['vip']],
  ['there are no records', ['vip'], [], []],
])('there is no error when %s', (_, path, records, described) => {
  expect(slipOf(path, records, described)).toBeUndefined()
})

test('a member called __proto__ is a member like any other', () => {
  expect(slipOf(['__proto__'], [{ id: '1' }])?.message).toContain('__proto__')
  expect(slipOf(['constructor'], [{ id: '1' }])).toBeDefined()
})
