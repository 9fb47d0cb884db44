import { expect, test } from 'vitest'
import { changesSince, restore, writableOf } from '../../src/jobs/plan/make-undo.ts'

const BEFORE = { id: 'con_1', name: 'Ada', company: 'Old', tags: { a: 1 } }
const WROTE = { company: 'New', phone: '1' }

test('values that the job wrote are reverted, and members that it added are removed', () => {
  const now = { ...BEFORE, ...WROTE }
  expect(restore(BEFORE, WROTE, now)).toEqual({ patch: { company: 'Old', phone: null }, conflicts: [] })
})

test('members that someone changed since stay unchanged and are named with their three values', () => {
  const now = { ...BEFORE, ...WROTE, company: 'Theirs' }
  expect(restore(BEFORE, WROTE, now)).toEqual({
    patch: { phone: null },
    conflicts: [{ field: 'company', was: 'Old', wrote: 'New', now: 'Theirs' }],
  })
})

test('a list that the server shows with the members of its objects in another order is reverted', () => {
  const before = { id: 'con_1', emails: [{ value: 'old@x.test', primary: true }] }
  const wrote = { emails: [{ value: 'new@x.test', primary: true }] }
  const now = { id: 'con_1', emails: [{ primary: true, value: 'new@x.test' }] }
  expect(restore(before, wrote, now)).toEqual({ patch: { emails: before.emails }, conflicts: [] })
})

test('a member that already has its old value is neither sent nor a conflict', () => {
  expect(restore(BEFORE, WROTE, BEFORE)).toEqual({ patch: {}, conflicts: [] })
})

test('each member of a merged object is reverted, also those that the job added', () => {
  const wrote = { tags: { a: 2, b: 3 } }
  expect(restore(BEFORE, wrote, { ...BEFORE, ...wrote }).patch).toEqual({ tags: { a: 1, b: null } })
})

test('a record that a job created may be deleted if no one changed it, by its members, version or time', () => {
  const made = { id: 'con_1', ...WROTE, created_at: 't1', updated_at: 't1', version: 1 }
  expect(changesSince(WROTE, made)).toEqual([])
  expect(changesSince(WROTE, { ...made, company: 'Theirs' })).toMatchObject([{ field: 'company', now: 'Theirs' }])
  expect(changesSince(WROTE, { ...made, version: 2 })).toMatchObject([{ field: 'version', now: 2 }])
  const { version: _, ...unversioned } = made
  expect(changesSince(WROTE, unversioned)).toEqual([])
  expect(changesSince(WROTE, { ...unversioned, updated_at: 't2' })).toMatchObject([{ field: 'updated_at' }])
  expect(changesSince(WROTE, { ...unversioned, updated_at: null })).toEqual([])
})

test('a value that the server only writes in another form was changed by no one', () => {
  const wrote = { email: 'Ada@X.test', phone: '+49 (30) 1234-5' }
  const shown = { id: 'con_1', email: 'ada@x.test', phone: '+493012345' }
  const before = { id: 'con_1', email: 'old@x.test', phone: null }
  expect(restore(before, wrote, shown)).toEqual({ patch: { email: 'old@x.test', phone: null }, conflicts: [] })
  expect(changesSince(wrote, shown)).toEqual([])
  const other = { ...shown, phone: '+493012346' }
  expect(restore(before, wrote, other)).toMatchObject({
    patch: { email: 'old@x.test' },
    conflicts: [{ field: 'phone' }],
  })
  expect(changesSince(wrote, other)).toMatchObject([{ field: 'phone', now: '+493012346' }])
})

test('a value that the record no longer has was changed since', () => {
  expect(changesSince(WROTE, { id: 'con_1', company: 'New' })).toMatchObject([{ field: 'phone', now: null }])
})

test('a record whose two times lie up to 100 ms apart was not changed since it was made', () => {
  const made = {
    id: 'con_1',
    ...WROTE,
    created_at: '2026-11-23T06:00:00.000525Z',
    updated_at: '2026-11-23T06:00:00.099571Z',
  }
  expect(changesSince(WROTE, made)).toEqual([])
  const later = { ...made, updated_at: '2026-11-23T06:00:00.120Z' }
  expect(changesSince(WROTE, later)).toMatchObject([{ field: 'updated_at' }])
})

test('a record that is created again has no members that the server sets, and no empty ones', () => {
  expect(
    writableOf(
      { ...BEFORE, phone: null, version: 3, created_at: 't1', updated_at: 't2' },
      { isReadOnly: () => false, isDropped: () => false },
    ),
  ).toEqual({
    name: 'Ada',
    company: 'Old',
    tags: { a: 1 },
  })
})
