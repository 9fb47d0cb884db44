import { expect, test } from 'vitest'
import { parseAssignment } from '../../src/ui/background/staging.ts'
import { formFields, formPatch, withProblems } from '../../src/ui/form/record-form.ts'
import { textInput } from '../../src/ui/text/text-input.ts'

test('only changed fields are sent, and an emptied field is null', () => {
  const fields = formFields('contacts', { id: 'con_1', name: 'Ada', email: 'a@x', extra: 'kept' })
  const edited = fields.map((field) => (field.name === 'email' ? { ...field, input: textInput('') } : field))
  expect(formPatch(fields)).toEqual({})
  expect(formPatch(edited)).toEqual({ email: null })
})

test('only non-empty fields of a new record are sent, and an amount is a number', () => {
  const fields = formFields('deals', undefined).map((field) => ({
    ...field,
    input: textInput(field.name === 'amount' ? '12.5' : ''),
  }))
  expect(formPatch(fields)).toEqual({ amount: 12.5 })
})

test('an amount that is not a number is rejected, and named', () => {
  const field = formFields('deals', undefined).find(({ name }) => name === 'amount')
  expect(() => formPatch(field ? [{ ...field, input: textInput('12x') }] : [])).toThrow(/amount is "12x"/)
})

test('a whole number with a fraction is rejected, and named', () => {
  const employees = (text: string) =>
    ({ name: 'employees', input: textInput(text), before: undefined, type: 'integer', problem: undefined }) as const
  expect(formPatch([employees('1200')])).toEqual({ employees: 1200 })
  for (const text of ['1200.5', 'true', '1e400']) {
    expect(() => formPatch([employees(text)])).toThrow(`employees is "${text}", expected a whole number`)
  }
})

test('a member that the contract does not name keeps its type', () => {
  const fields = formFields('contacts', { id: 'con_1', vip: false })
  const typed = (text: string) =>
    fields.map((field) => (field.name === 'vip' ? { ...field, input: textInput(text) } : field))
  expect(formPatch(typed('true'))).toEqual({ vip: true })
  expect(() => formPatch(typed('tru'))).toThrow('vip is "tru", expected JSON')
})

test('an error of the server is shown at the field that it names', () => {
  const fields = withProblems(formFields('contacts', undefined), 'cannot create: email must be a string')
  expect(fields.flatMap(({ name, problem }) => (problem === undefined ? [] : [name]))).toEqual(['email'])
})

test('a change is member=text, member:=json, or member= for nothing', () => {
  expect(parseAssignment('company=Acme Ltd')).toEqual(['company', 'Acme Ltd'])
  expect(parseAssignment('amount:=12')).toEqual(['amount', 12])
  expect(parseAssignment('phone=')).toEqual(['phone', null])
  expect(() => parseAssignment('nonsense')).toThrow(/expected member=value/)
})
