import { expect, test } from 'vitest'
import { checkedAssignment, editsOf } from '../../src/ui/list/assignment.ts'
import { contact } from './rows.ts'

const ROWS = [contact(1, { company: 'Acme', employees: 3 }), contact(2, { company: 'Other' })]

test('a row that has the value already is not edited, and of several values only the new ones are sent', () => {
  const edits = editsOf(ROWS, { company: 'Acme', phone: '1' })
  expect(edits.map(({ row, patch }) => [row.id, patch])).toEqual([
    ['con_1', { phone: '1' }],
    ['con_2', { company: 'Acme', phone: '1' }],
  ])
  expect(editsOf(ROWS.slice(0, 1), { company: 'Acme' })).toEqual([])
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
