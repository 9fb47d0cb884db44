import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { CHANGING } from '../../src/ui/actions/changing.ts'
import { COMMAND_LOG } from '../../src/ui/actions/command-log.ts'
import { COPY_EXPORT } from '../../src/ui/actions/copy-export.ts'
import { EVENTS } from '../../src/ui/actions/events.ts'
import { JOBS } from '../../src/ui/actions/jobs.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { ScreenName } from '../../src/ui/screens.ts'
import { searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { drawFrame } from './draw-frame.tsx'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

async function withRows(screen: ScreenName, count: number, nextCursor?: string): Promise<TestUi> {
  const ui = await uiOf(screen)
  const items = contacts(count).map((row) => ({ ...row, stage: 'Lead' }))
  const name = screen === 'contacts' ? 'contacts' : 'deals'
  const page = { items, nextCursor, searched: searchedIn(name) }
  ui.store.update((state) => withList(state, name, (list) => takePage(list, page)))
  return ui
}

const cursorOf = ({ store }: TestUi) => store.get().lists.contacts.cursor
const lastMessage = ({ store }: TestUi) => store.get().toasts.at(-1)?.text

test('5j and 5 and an arrow move five rows, 10G and 10gg go to row 10, and G alone to the last', async () => {
  const ui = await withRows('contacts', 300)
  ui.press('5', 'j')
  expect(cursorOf(ui)).toBe(5)
  ui.press('1', '2', 'down', '2', 'k')
  expect(cursorOf(ui)).toBe(15)
  ui.press('1', '0', 'G')
  expect(cursorOf(ui)).toBe(9)
  ui.press('2', '0', 'g', 'g')
  expect(cursorOf(ui)).toBe(19)
  ui.press('G')
  expect(cursorOf(ui)).toBe(299)
  ui.press('g', 'g')
  expect(cursorOf(ui)).toBe(0)
  expect(ui.store.get().toasts).toEqual([])
})

test('a row that is not loaded is named, with the number of those that are', async () => {
  const ui = await withRows('contacts', 30, 'more')
  ui.press('5', '0', 'G')
  expect(cursorOf(ui)).toBe(29)
  expect(lastMessage(ui)).toBe('There is no row 50: 30 are loaded; L loads all')
})

test('a digit and Enter open its screen, Alt and the digit at once, and 0 is no count', async () => {
  const ui = await withRows('contacts', 3)
  ui.press('4')
  expect(ui.store.get().screen).toBe('contacts')
  ui.press('enter')
  expect(ui.store.get().screen).toBe('events')
  ui.press('alt-1')
  expect(ui.store.get().screen).toBe('contacts')
  expect(ui.store.get().lists.contacts.isDetailOpen).toBe(false)
  ui.press('0', '2', 'enter')
  expect(ui.store.get().screen).toBe('deals')
})

test('Esc and a digit that arrive as one input close the help, and the digit counts', async () => {
  const ui = await withRows('contacts', 3)
  ui.press('?', 'alt-2', 'enter')
  expect(ui.store.get()).toMatchObject({ screen: 'deals', overlay: undefined })
})

test('a count waits for its key, however long', async () => {
  const ui = await withRows('contacts', 30)
  ui.press('5')
  await delay(600)
  ui.press('j')
  expect(ui.store.get().screen).toBe('contacts')
  expect(cursorOf(ui)).toBe(5)
})

test('a key that takes no count says so and does nothing, and Esc drops the count', async () => {
  const ui = await withRows('contacts', 30)
  ui.press('3', 'd')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(lastMessage(ui)).toBe('d takes no count; 3 and Enter: Go to Pipelines')
  ui.press('1', '2', 'esc', 'j')
  expect(cursorOf(ui)).toBe(1)
})

test('5 and Space mark five rows, and the cursor is below them', async () => {
  const ui = await withRows('contacts', 30)
  ui.press('5', ' ')
  expect([...ui.store.get().lists.contacts.marks]).toEqual(['con_0', 'con_1', 'con_2', 'con_3', 'con_4'])
  expect(cursorOf(ui)).toBe(5)
})

test('the board takes counts too', async () => {
  const ui = await withRows('pipelines', 30)
  ui.press('5', 'j')
  expect(ui.store.get().board.card).toBe(5)
  ui.press('1', '0', 'G')
  expect(ui.store.get().board.card).toBe(9)
  ui.press('3', 'up', 'k')
  expect(ui.store.get().board.card).toBe(5)
})

test('the last line shows the count that was typed', async () => {
  const ui = await withRows('contacts', 30)
  ui.press('1', '2', 'g')
  const { lines } = drawFrame(ui.store.get(), { theme: createTheme('none'), keymap: ui.keymap, boards: ui.boards })
  expect(stripVTControlCharacters(lines.at(-1) ?? '').trim()).toBe('12g …')
  ui.press('esc', '2')
  const { lines: then } = drawFrame(ui.store.get(), {
    theme: createTheme('none'),
    keymap: ui.keymap,
    boards: ui.boards,
  })
  expect(stripVTControlCharacters(then.at(-1) ?? '').trim()).toBe(
    '2 … Enter: Go to Deals · a key that moves or marks: 2 times · Esc drops',
  )
})

test('no key that changes, sends, copies or exports takes a count; the one that stops a send ignores it', () => {
  const changing = [...CHANGING, ...JOBS, ...EVENTS, ...COPY_EXPORT, ...COMMAND_LOG]
  expect(changing.length).toBeGreaterThan(20)
  expect(changing.filter(({ takesCount }) => takesCount).map(({ id }) => id)).toEqual(['stop-sending'])
})

test('in a choice G and g go to its ends, and in the help too', async () => {
  const ui = await withRows('contacts', 3)
  ui.store.update((state) => ({ ...state, look: { ...state.look, colors: '256' } }))
  ui.press('ctrl-t', 'G')
  expect(ui.store.get().overlay).toMatchObject({ type: 'choice', index: 5 })
  ui.press('g')
  expect(ui.store.get().overlay).toMatchObject({ index: 0 })
  ui.press('esc', '?', 'G')
  expect((ui.store.get().overlay as { top: number }).top).toBeGreaterThan(0)
  ui.press('home')
  expect(ui.store.get().overlay).toMatchObject({ type: 'help', top: 0 })
})
