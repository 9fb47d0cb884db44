import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { openBrowseDocument } from '../../src/settings/browse-document.ts'
import { leave } from '../../src/ui/actions/leave.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { withList } from '../../src/ui/state.ts'
import { inputText } from '../../src/ui/text/text-input.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { drawFrame } from './draw-frame.tsx'
import { contacts } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function typeLine(ui: TestUi, line: string): void {
  ui.press(':', ...line, 'enter')
}

function palette({ store }: TestUi) {
  const { overlay } = store.get()
  if (overlay?.type !== 'palette') return expect.fail(`no palette but ${overlay?.type}`)
  return overlay
}

const linesOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.map(stripVTControlCharacters)

async function withServer(): Promise<TestUi & { readonly asked: string[] }> {
  const asked: string[] = []
  const { url } = await startServer((response, { path }) => {
    asked.push(decodeURIComponent(path))
    sendJson(response, 200, { data: [{ id: 'deal_1', name: 'Engines', stage: 'Won' }], next_cursor: null })
  })
  const { api } = openClient(url)
  return Object.assign(await uiOf('contacts', { openApi: async () => api }), { asked })
}

test(':deals stage=Won opens Deals with that filter', async () => {
  const ui = await withServer()
  typeLine(ui, 'deals stage="Closed Won" amount[gte]=1000')
  expect(ui.store.get()).toMatchObject({ screen: 'deals', overlay: undefined })
  await expect.poll(() => ui.store.get().lists.deals.rows.length).toBe(1)
  expect(ui.store.get().lists.deals.serverFilters).toEqual({ stage: 'Closed Won', 'amount[gte]': '1000' })
  expect(ui.asked.at(-1)).toContain('stage=Closed+Won')
})

test('words without = find text, and a screen without a filter is opened as it is', async () => {
  const ui = await withServer()
  typeLine(ui, 'deals stage=Won engi')
  await expect.poll(() => ui.store.get().lists.deals.rows.length).toBe(1)
  expect(ui.store.get().lists.deals).toMatchObject({ filter: 'engi', serverFilters: { stage: 'Won' } })
  typeLine(ui, 'events contact.created')
  expect(ui.store.get()).toMatchObject({ screen: 'events', lists: { events: { filter: 'contact.created' } } })
  typeLine(ui, 'deals')
  expect(ui.store.get()).toMatchObject({ screen: 'deals', lists: { deals: { filter: 'engi' } } })
})

test('a filter that cannot be read keeps the line open, with the reason below it', async () => {
  const ui = await withServer()
  typeLine(ui, 'deals stagee=Won')
  expect(palette(ui).problem).toBe('no field of a deal is called stagee; did you mean stage?')
  expect(linesOf(ui).at(-2)).toContain('did you mean stage?')
  ui.press('esc', ':', ...'deals name="Acme', 'enter')
  expect(palette(ui).problem).toContain('closed quotes')
  expect(ui.store.get().screen).toBe('contacts')
})

test('Tab completes screens, their filters and values', async () => {
  const ui = await uiOf('contacts')
  const items = contacts(3).map((row) => ({ ...row, company: 'Acme GmbH' }))
  const page = { items, nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  ui.press(':', ...'con', 'tab', ...'comp', 'tab', '=', 'A', 'tab')
  expect(inputText(palette(ui).input)).toBe('contacts company="Acme GmbH" ')
  ui.press('esc', ':', ...'d')
  expect(linesOf(ui).join('\n')).toMatch(/\n│ deals *│\n/)
})

test(':profile completes names, checks the profile, and leaves for it', async () => {
  const checked: string[] = []
  const profiles = { names: async () => ['local', 'staging'], check: async (name: string) => void checked.push(name) }
  const ui = await uiOf('contacts', { profiles })
  ui.press(':')
  await expect.poll(() => palette(ui).profiles).toEqual(['local', 'staging'])
  ui.press(...'pro', 'tab', 's', 'tab', 'enter')
  await expect.poll(() => ui.quits).toEqual(['keep staging'])
  expect(checked).toEqual(['staging'])
})

test('a profile that does not exist is refused, and the screens stay', async () => {
  const missing = () => Promise.reject(new CrmError('usage', 'there is no profile nope', { hint: 'crm config list' }))
  const ui = await uiOf('contacts', { profiles: { names: async () => [], check: missing } })
  typeLine(ui, 'profile nope')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe('Profile not changed: there is no profile nope')
  expect(ui.quits).toEqual([])
  typeLine(ui, 'profile')
  expect(palette(ui).problem).toContain(':profile staging')
})

test('a form that is not saved is asked about before the profile is switched', async () => {
  const ui = await uiOf('contacts', { profiles: { names: async () => [], check: async () => {} } })
  ui.press('n', 'A')
  const { overlay } = ui.store.get()
  leave(ui, 'staging')
  expect(ui.store.get().overlay).toMatchObject({
    ...{ title: 'Switch to staging? Not saved: 1 form', behind: overlay },
    options: [
      'Send, then switch',
      'Keep the form for the next start, and switch',
      'Discard the form, and switch',
      'Stay',
    ],
  })
  ui.press('ctrl-c')
  expect([ui.quits, ui.store.get().overlay]).toEqual([[], overlay])
})

test('requests that were sent end before the profile is switched', async () => {
  const ui = await uiOf('contacts', { profiles: { names: async () => [], check: async () => {} } })
  const answer = Promise.withResolvers<void>()
  void ui.background.underWay.track('the change of con_1', () => answer.promise)
  typeLine(ui, 'profile staging')
  await expect
    .poll(() => ui.store.get().overlay)
    .toMatchObject({ options: ['Wait until it is sent, then switch', 'Stay'] })
  ui.press('up', 'enter')
  expect(ui.quits).toEqual([])
  answer.resolve()
  await expect.poll(() => ui.quits).toEqual(['keep staging'])
})

test(':12 goes to row 12, and :q quits', async () => {
  const ui = await uiOf('contacts')
  const page = { items: contacts(30), nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  typeLine(ui, '12')
  expect(ui.store.get().lists.contacts.cursor).toBe(11)
  typeLine(ui, 'q')
  expect(ui.quits).toEqual(['keep'])
})

test('a filter that was saved is shown again by its name, completed, and forgotten', async () => {
  const ui = await withServer()
  // The folder of the settings does not exist yet.
  const kept = () => openBrowseDocument(ui.world.env).saved()
  Object.assign(ui.world, { setSaved: openBrowseDocument(ui.world.env).setSaved })
  typeLine(ui, 'deals stage=Won acme')
  await expect.poll(() => ui.store.get().lists.deals.loading).toBe('idle')
  typeLine(ui, 'save big')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toBe(':big shows deals stage=Won, found for "acme"')
  const saved = { screen: 'deals', filter: 'stage=Won', find: 'acme' }
  expect(await kept()).toEqual({ big: saved })
  typeLine(ui, 'contacts')
  ui.press(':', ...'bi', 'tab', 'enter')
  expect(ui.store.get()).toMatchObject({ screen: 'deals', overlay: undefined })
  expect(ui.store.get().lists.deals).toMatchObject({ serverFilters: { stage: 'Won' }, filter: 'acme' })
  for (const [line, problem] of [
    ['save deals', 'deals is a word of : already'],
    ['save undo', 'undo is a word of : already'],
    ['save', 'save as which name? such as :save big-deals'],
    ['forget small', 'nothing is saved as "small", only big'],
    ['big more', 'big takes no more words'],
  ] as const) {
    typeLine(ui, line)
    expect(palette(ui).problem).toBe(problem)
    ui.press('esc')
  }
  typeLine(ui, 'forget big')
  expect(ui.store.get().saved).toEqual({})
  await expect.poll(kept).toEqual({})
})

test('Enter goes to the only screen that a line begins', async () => {
  const ui = await withServer()
  ui.press(':', ...'compan', 'enter')
  expect(ui.store.get()).toMatchObject({ screen: 'companies', overlay: undefined })
  ui.press(':', ...'qwx', 'enter')
  expect(ui.store.get().overlay).toMatchObject({
    type: 'palette',
    problem: expect.stringContaining('no command is named "qwx"'),
  })
})

test('a comma between filters is named', async () => {
  const ui = await withServer()
  ui.press('2', 'f', ...'owner_id=ben, stage=Won', 'enter')
  expect(ui.store.get().overlay).toMatchObject({ problem: expect.stringContaining('a blank separates filters') })
})
