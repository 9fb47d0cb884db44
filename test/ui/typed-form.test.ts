import { expect, test } from 'vitest'
import type { BackgroundWorld } from '../../src/ui/background/parts.ts'
import { formFields, formPatch, withProblems } from '../../src/ui/form/record-form.ts'
import { parseAssignment } from '../../src/ui/list/assignment.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { type Choice, type Form, formIn } from '../../src/ui/overlay.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { withList } from '../../src/ui/state.ts'
import { inputText, textInput } from '../../src/ui/text/text-input.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const ADA = { id: 'con_0', name: 'Ada', company: 'Old', version: 1 }

/** A form for Ada with `X` typed after her name in the first field. */
async function typedAt(world: Partial<BackgroundWorld>): Promise<TestUi> {
  const ui = await uiOf('contacts', world)
  const page = { items: [ADA], nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  ui.press('e', 'X')
  return ui
}

function formOf({ store }: TestUi): Form {
  return formIn(store.get().overlay) ?? expect.fail(`no form but ${store.get().overlay?.type}`)
}

function textsOf(ui: TestUi): Readonly<Record<string, string>> {
  return Object.fromEntries(formOf(ui).fields.map(({ name, input }) => [name, inputText(input)]))
}

function asked({ store }: TestUi): Choice {
  const { overlay } = store.get()
  return overlay?.type === 'choice' ? overlay : expect.fail(`no question but ${overlay?.type}`)
}

test('Ctrl-C in a form with typed text asks, and Stay shows the form again', async () => {
  const ui = await typedAt({})
  ui.press('ctrl-c')
  expect(asked(ui).title).toBe('Quit? Not saved: 1 form')
  ui.press('esc')
  expect(ui.store.get().overlay?.type).toBe('form')
  expect(textsOf(ui).name).toBe('AdaX')
  expect(ui.quits).toEqual([])
})

test('Ctrl-C closes a form without typed text', async () => {
  const ui = await typedAt({})
  ui.press('backspace', 'ctrl-c')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(ui.quits).toEqual([])
})

test('send saves the form, then quits; a rejected form stays open with the error', async () => {
  let status = 422
  const { url } = await startServer((response, { method }) => {
    if (method !== 'PATCH') return sendJson(response, 200, { data: [], next_cursor: null })
    if (status === 200) return sendJson(response, 200, { ...ADA, name: 'AdaX' })
    sendJson(response, status, { error: { code: 'validation', message: 'name is too odd' } })
  })
  const { api } = openClient(url)
  const ui = await typedAt({ openApi: async () => api })
  ui.press('ctrl-c', 'up', 'up', 'up', 'enter')
  await expect.poll(() => formOf(ui).problem).toContain('name is too odd')
  expect(ui.quits).toEqual([])
  expect(textsOf(ui).name).toBe('AdaX')
  status = 200
  ui.press('ctrl-c', 'up', 'up', 'up', 'enter')
  await expect.poll(() => ui.quits).toEqual(['keep'])
})

test('a form closed while it was sent opens again when it is rejected, and no other form is closed', async () => {
  const held: ((status: number) => void)[] = []
  const { url } = await startServer((response, { method }) => {
    if (method === 'PATCH') held.push((status) => sendJson(response, status, { ...ADA, error: { message: 'no' } }))
    else sendJson(response, 200, { data: [], next_cursor: null })
  })
  const { api } = openClient(url)
  const ui = await typedAt({ openApi: async () => api })
  ui.press('ctrl-s', 'esc')
  await expect.poll(() => held.length).toBe(1)
  held.pop()?.(422)
  await expect.poll(() => ui.store.get().overlay?.type).toBe('form')
  expect(textsOf(ui).name).toBe('AdaX')
  ui.press('ctrl-s', 'esc', 'n', 'Z')
  await expect.poll(() => held.length).toBe(1)
  held.pop()?.(200)
  await ui.background.underWay.settled()
  expect(formOf(ui).title).toBe('New contact')
  expect(textsOf(ui).name).toBe('Z')
})

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
