import { expect, test } from 'vitest'
import { checkedAssignment, stage, stagedEdits, withoutStaged } from '../../src/ui/background/staging.ts'
import { contact, listOf } from './rows.ts'

const ROWS = [contact(1, { company: 'Acme', employees: 3 }), contact(2, { company: 'Other' })]

test('a row that has the value already is not edited, and an edit back to it is removed', () => {
  const staged = stage(listOf(ROWS), ROWS, ['company', 'Acme'])
  expect([...staged.staged.keys()]).toEqual(['con_2'])
  expect(stage(staged, ROWS, ['company', 'Other']).staged.has('con_2')).toBe(false)
})

test('a member that no record has is rejected, with a suggestion', () => {
  expect(() => checkedAssignment('compny=x', 'contacts', ROWS)).toThrow(/no contact that is loaded has a member compny/)
  expect(() => checkedAssignment('compny=x', 'contacts', ROWS)).toThrow(
    expect.objectContaining({ details: { hint: 'did you mean company?' } }),
  )
  expect(() => checkedAssignment('zzz=x', 'contacts', ROWS)).toThrow(/zzz/)
  expect(() => checkedAssignment('version:=1', 'contacts', ROWS)).toThrow(/set by the server/)
})

test('a member that the records have is accepted, documented or not', () => {
  expect(checkedAssignment('company=x', 'contacts', [])).toEqual(['company', 'x'])
  expect(checkedAssignment('employees:=4', 'contacts', ROWS)).toEqual(['employees', 4])
  expect(checkedAssignment('phone=', 'contacts', ROWS)).toEqual(['phone', null])
})

test('text for a number is rejected', () => {
  expect(() => checkedAssignment('employees=4', 'contacts', ROWS)).toThrow(/employees is a number, and "4" is a text/)
  expect(() => checkedAssignment('amount=4', 'deals', [])).toThrow(/amount is a number/)
})

test('a number that no double holds is rejected, and long digits stay as typed', () => {
  for (const text of ['amount:=1e400', 'amount:= -1e400', 'employees:=1e999']) {
    expect(() => checkedAssignment(text, 'deals', [{ id: 'deal_1', employees: 3 }])).toThrow(/largest number/)
  }
  const [, value] = checkedAssignment('amount:=12345678901234567890', 'deals', [])
  expect(JSON.stringify(value)).toBe('12345678901234567890')
})

test('a member edited while the row was being sent stays staged', () => {
  const staged = stage(listOf(ROWS), ROWS, ['company', 'New'])
  const [sent] = stagedEdits(staged)
  const since = stage(staged, ROWS.slice(0, 1), ['phone', '1'])
  const after = sent ? withoutStaged(since, [sent]) : since
  expect(after.staged.get('con_1')?.patch).toEqual({ phone: '1' })
  expect(sent && withoutStaged(staged, [sent]).staged.has('con_1')).toBe(false)
})

test('an edit of a row that is no longer loaded is still sent', () => {
  const staged = stage(listOf(ROWS), ROWS, ['company', 'New'])
  expect(stagedEdits({ ...staged, rows: [] }).map(({ row }) => row.id)).toEqual(['con_1', 'con_2'])
})

test('a member edited again while it was being sent stays staged', () => {
  const staged = stage(listOf(ROWS), ROWS, ['company', 'New'])
  const [sent] = stagedEdits(staged)
  const since = stage(staged, ROWS.slice(0, 1), ['company', 'Newer'])
  expect(sent && withoutStaged(since, [sent]).staged.get('con_1')?.patch).toEqual({ company: 'Newer' })
})
