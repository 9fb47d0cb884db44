import { expect, test } from 'vitest'
import { CHANGING } from '../../src/ui/actions/changing.ts'
import { stage } from '../../src/ui/background/staging.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { SEARCHED } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

async function withEdits(): Promise<TestUi> {
  const ui = await uiOf('contacts')
  const items = contacts(3)
  const page = { items, nextCursor: undefined, searched: SEARCHED.contacts }
  ui.store.update((state) =>
    withList(state, 'contacts', (list) => stage(takePage(list, page), items, ['company', 'New'])),
  )
  return ui
}

const editsOf = ({ store }: TestUi) => store.get().lists.contacts.staged.size

test('U discards edits only after a confirmation, in which Cancel is chosen', async () => {
  const ui = await withEdits()
  ui.press('U', 'enter')
  expect(editsOf(ui)).toBe(3)
  ui.press('U')
  expect(ui.store.get().overlay).toMatchObject({ title: 'Discard 3 edits that were not sent?' })
  ui.press('y')
  expect(editsOf(ui)).toBe(0)
})

test('a key does nothing while the terminal is too small to show what it would act on', async () => {
  const ui = await withEdits()
  ui.store.update((state) => ({ ...state, columns: 40, rows: 10 }))
  for (const { keys } of CHANGING) for (const key of keys) ui.press(key)
  ui.press('U', 'y', 'd', 'y')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(editsOf(ui)).toBe(3)
  ui.store.update((state) => ({ ...state, columns: 120, rows: 40 }))
  ui.press('U', 'y')
  expect(editsOf(ui)).toBe(0)
})
