import { expect, test } from 'vitest'
import { changesSince, restore, writableOf } from '../../src/jobs/plan/undo-record.ts'

const BEFORE = { id: 'con_1', name: 'Ada', company: 'Old', tags: { a: 1 } }
const WROTE = { company: 'New', phone: '1' }

test('what is still as the job wrote it goes back, and what was not there goes away', () => {
  const now = { ...BEFORE, ...WROTE }
  expect(restore(BEFORE, WROTE, now)).toEqual({ patch: { company: 'Old', phone: null }, conflicts: [] })
})

test('what somebody changed since is left alone and named with its three sides', () => {
  const now = { ...BEFORE, ...WROTE, company: 'Theirs' }
  expect(restore(BEFORE, WROTE, now)).toEqual({
    patch: { phone: null },
    conflicts: [{ field: 'company', was: 'Old', wrote: 'New', now: 'Theirs' }],
  })
})

test('what is back already is neither sent nor a conflict', () => {
  expect(restore(BEFORE, WROTE, BEFORE)).toEqual({ patch: {}, conflicts: [] })
})

test('of an object that is merged each member goes back, those that came with the job too', () => {
  const wrote = { tags: { a: 2, b: 3 } }
  expect(restore(BEFORE, wrote, { ...BEFORE, ...wrote }).patch).toEqual({ tags: { a: 1, b: null } })
})

test('a record that a job made may go while nobody changed it, by its members, its version or its time', () => {
  const made = { id: 'con_1', ...WROTE, created_at: 't1', updated_at: 't1', version: 1 }
  expect(changesSince(WROTE, made)).toEqual([])
  expect(changesSince(WROTE, { ...made, company: 'Theirs' })).toMatchObject([{ field: 'company', now: 'Theirs' }])
  expect(changesSince(WROTE, { ...made, version: 2 })).toMatchObject([{ field: 'version', now: 2 }])
  const { version: _, ...unversioned } = made
  expect(changesSince(WROTE, unversioned)).toEqual([])
  expect(changesSince(WROTE, { ...unversioned, updated_at: 't2' })).toMatchObject([{ field: 'updated_at' }])
})

test('a record that is made again has no member that the server sets, and none that was empty', () => {
  expect(writableOf({ ...BEFORE, phone: null, version: 3, created_at: 't1', updated_at: 't2' })).toEqual({
    name: 'Ada',
    company: 'Old',
    tags: { a: 1 },
  })
})
