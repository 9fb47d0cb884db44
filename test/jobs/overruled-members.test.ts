import { expect, test } from 'vitest'
import type { FormatSummary } from '../../src/jobs/input/row.ts'
import { OverruledMembers } from '../../src/jobs/plan/match-rows.ts'
import type { RowRules } from '../../src/jobs/plan/planning.ts'

const RULES = { overruled: () => new Map([['emails', 'email']]) } as Partial<RowRules> as RowRules
const COLUMNS = [
  { name: 'E-Mail', field: 'email' },
  { name: 'emails', field: 'emails' },
]
const SUMMARY = { columns: COLUMNS } as Partial<FormatSummary> as FormatSummary
const ROW = { email: 'new@x.test', emails: ['old@x.test'] }

test('a member that would revert a field which the record has already is left out, with one line', () => {
  const members = new OverruledMembers(RULES)
  const matched = { row: ROW, record: { id: '1', email: 'New@x.test' } }
  const changes = { emails: ['old@x.test'], title: 'Dr' }
  expect(members.without(changes, { ...matched, line: 3 })).toEqual({ title: 'Dr' })
  expect(members.without(changes, { ...matched, line: 7 })).toEqual({ title: 'Dr' })
  expect(members.lines(SUMMARY)).toEqual([
    'emails is left out in 2 rows, first line 3, because E-Mail is written there and has another value; --map E-Mail= leaves out E-Mail instead',
  ])
})

test('a row in which both differ from the record keeps both, and is refused', () => {
  const members = new OverruledMembers(RULES)
  const record = { id: '1', email: 'third@x.test' }
  expect(members.without(ROW, { row: ROW, record, line: 3 })).toEqual(ROW)
  expect(members.lines(SUMMARY)).toEqual([])
})

test('a member that the record has already is no change, and is not named', () => {
  const members = new OverruledMembers(RULES)
  const changes = { title: 'Dr' }
  expect(members.without(changes, { row: ROW, record: { id: '1', email: 'new@x.test' }, line: 3 })).toEqual(changes)
  expect(members.lines(SUMMARY)).toEqual([])
})
