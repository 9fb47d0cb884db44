import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { takePage } from '../../src/ui/list/list-state.ts'
import { contradicts } from '../../src/ui/list/server-filters.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { Confirmation, Overlay } from '../../src/ui/overlay.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { withList } from '../../src/ui/state.ts'
import { textInput } from '../../src/ui/text/text-input.ts'
import { drawFrame } from './draw-frame.tsx'
import { uiOf } from './ui-of.ts'

const CONFIRM: Confirmation = {
  ...{ type: 'confirm', title: 'Send?', lines: [], verb: 'Send', isOnCancel: true, expected: undefined },
  ...{ input: textInput(), onConfirm: () => {} },
}

test('a key that was typed before a question was drawn does not answer it, and Esc closes it', async () => {
  let drawn: Overlay | undefined
  const ui = await uiOf('contacts', { isDrawn: (question) => question === drawn })
  const answers: string[] = []
  const overlay = { ...CONFIRM, onConfirm: () => answers.push('yes'), onCancel: () => answers.push('no') }
  ui.store.update((state) => ({ ...state, overlay }))
  ui.press('y', 'n', 'enter')
  expect(answers).toEqual([])
  drawn = overlay
  ui.press('y')
  expect(answers).toEqual(['yes'])
  drawn = undefined
  ui.store.update((state) => ({ ...state, overlay }))
  ui.press('esc')
  expect(answers).toEqual(['yes', 'no'])
})

test('a wrong number and Enter state what was expected, until the number is changed', async () => {
  const ui = await uiOf('contacts')
  let isConfirmed = false
  const onConfirm = () => {
    isConfirmed = true
  }
  ui.store.update((state) => ({ ...state, overlay: { ...CONFIRM, expected: '21', onConfirm } }))
  ui.press('2', 'enter')
  expect(ui.store.get().overlay).toMatchObject({ problem: '"2", expected 21; nothing was done' })
  const { lines } = drawFrame(ui.store.get(), { ...ui, theme: createTheme('none') })
  expect(lines.map(stripVTControlCharacters)).toContainEqual(expect.stringMatching(/^│ ! "2", expected 21; nothing/))
  ui.press('1')
  expect(ui.store.get().overlay).toMatchObject({ problem: undefined })
  ui.press('enter')
  expect(isConfirmed).toBe(true)
})

test('Esc leaves the log for the screen before it', async () => {
  const ui = await uiOf('deals')
  ui.press('!', '!')
  expect(ui.store.get().screen).toBe('log')
  ui.press('esc')
  expect(ui.store.get().screen).toBe('deals')
})

test('the log opens on its newest message, which is the first', async () => {
  const ui = await uiOf('contacts')
  for (const text of ['one', 'two', 'three']) ui.background.notices.done(text)
  ui.press('!')
  const { rows, cursor } = ui.store.get().lists.log
  expect(rows.map(({ message }) => message)).toEqual(['three', 'two', 'one'])
  expect(cursor).toBe(0)
})

test('a row that no longer matches the filter has a sign', async () => {
  const deal = { id: 'deal_1', name: 'One', stage: 'Won', amount: 10 }
  const ui = await uiOf('deals')
  const page = { items: [deal], nextCursor: undefined, searched: searchedIn('deals') }
  ui.store.update((state) =>
    withList(state, 'deals', (list) => takePage({ ...list, serverFilters: { stage: 'Lead' } }, page)),
  )
  const { lines } = drawFrame(ui.store.get(), { ...ui, theme: createTheme('none') })
  expect(lines.map(stripVTControlCharacters)).toContainEqual(expect.stringMatching(/^❯≠ One/))
  expect(contradicts(deal, { stage: 'won,lost' })).toBe(false)
  expect(contradicts(deal, { stage: 'Lead' })).toBe(true)
  expect(contradicts(deal, { 'amount[gte]': '11' })).toBe(true)
  expect(contradicts(deal, { 'amount[lte]': '10', created_since: '2026-01-01' })).toBe(false)
})
