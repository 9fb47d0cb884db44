import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createMatcher, filterProblem, NO_MATCH } from '../../src/ui/list/finding.ts'
import { rowId, setFilter, shownCount, shownRow } from '../../src/ui/list/list-state.ts'
import {
  completeFilter,
  ignoredFilter,
  parseServerFilters,
  serverFilterText,
} from '../../src/ui/list/server-filters.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { drawFrame } from './draw-frame.tsx'
import { contact, contacts, listOf } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function screenOf({ store, keymap, boards }: TestUi, columns = 120): string {
  const state = { ...store.get(), columns }
  return drawFrame(state, { theme: createTheme('none'), keymap, boards }).lines.join('\n')
}

test('/ is exact; ~ before it matches spread letters, and slashes around it an expression', () => {
  const matches = (filter: string, text: string) => (createMatcher(filter)?.match(text) ?? 1) !== NO_MATCH
  expect(matches('ada eng', 'ada lovelace\nengines')).toBe(true)
  expect(matches('adlov', 'ada lovelace')).toBe(false)
  expect(matches('~adlov', 'ada lovelace')).toBe(true)
  expect(matches('/^eng.*s$/', 'ada\nengines')).toBe(true)
  expect(matches('/^lovelace/', 'ada lovelace')).toBe(false)
  expect(matches('/a', 'a/ab')).toBe(true)
  expect(matches('', 'anything')).toBe(true)
})

test('an invalid expression matches nothing, and states why', async () => {
  expect(createMatcher('/(/')?.match('(')).toBe(NO_MATCH)
  expect(filterProblem('/(/')).toContain('Unterminated group')
  const ui = await uiOf('contacts')
  ui.press('/', ...'/(/', 'enter')
  expect(screenOf(ui)).toContain('without the slashes it is found as text')
})

test('a filter that is typed on finds what the whole filter finds', () => {
  const rows = [contact(1, { name: 'a b c' }), contact(2, { name: 'abc' })]
  const typed = ['~', '~a', '~ab', '~abc'].reduce((list, text) => setFilter(list, text), listOf(rows))
  expect(shownCount(typed)).toBe(2)
  const plain = ['a', 'ab', 'abc'].reduce((list, text) => setFilter(list, text), listOf(rows))
  expect([shownCount(plain), rowId(shownRow(plain, 0))]).toEqual([1, 'con_2'])
})

test('matches are inverse, and those of the row under the cursor not; wide letters keep the width', async () => {
  const ui = await uiOf('contacts')
  const rows = [contact(1, { name: 'Ada Lovelace' }), contact(2, { name: '名前 ada' })]
  ui.store.update((state) => withList(state, 'contacts', () => setFilter(listOf(rows), 'ada')))
  const screen = screenOf(ui)
  expect(screen).toContain('\x1b[27mAda\x1b[7m Lovelace')
  expect(screen).toContain('名前 \x1b[7mada\x1b[27m')
  expect(Math.max(...screen.split('\n').map((line) => plainWidth(line)))).toBe(120)
})

function plainWidth(line: string): number {
  const text = stripVTControlCharacters(line)
  return text.length + (text.match(/[名前]/g)?.length ?? 0)
}

test('a second / begins with an empty line, and Esc shows what the first one found', async () => {
  const ui = await uiOf('contacts')
  ui.store.update((state) => withList(state, 'contacts', () => listOf([contact(1, { name: 'Ada' }), contact(2)])))
  ui.press('/', ...'ada', 'enter', '/')
  expect(screenOf(ui)).toMatch(/^Find: +Enter keeps these rows/m)
  ui.press(...'name')
  expect(shownCount(ui.store.get().lists.contacts)).toBe(1)
  expect(stripVTControlCharacters(screenOf(ui))).toContain('Name 2')
  ui.press('esc')
  expect(stripVTControlCharacters(screenOf(ui))).not.toContain('Name 2')
  expect(ui.store.get().lists.contacts.filter).toBe('ada')
})

test('Enter searches what is not loaded, hits arrive as they are found, and Esc stops it', async () => {
  const hold = Promise.withResolvers<void>()
  const { url, seen } = await startServer(async (response, { path }) => {
    const page = Number(new URL(path, 'http://crm.test').searchParams.get('cursor') ?? 0)
    if (page === 3) await hold.promise
    const data = contacts(10, page * 10).map((row) => ({ ...row, company: page === 2 ? 'Needle' : 'Hay' }))
    sendJson(response, 200, { data, next_cursor: page < 5 ? String(page + 1) : null })
  })
  const ui = await uiOf('contacts', { openApi: async () => openClient(url).api })
  await ui.background.lists.more('contacts')
  ui.press('/', ...'needle')
  expect(screenOf(ui)).toContain('0 of 10 loaded; Enter searches the rest, a request for each page')
  expect(seen).toHaveLength(1)
  expect(screenOf(ui)).toContain('Enter searches the rest · Esc')
  ui.press('enter')
  await expect.poll(() => shownCount(ui.store.get().lists.contacts)).toBe(10)
  expect(screenOf(ui)).toContain('searching the rest')
  ui.press('esc')
  hold.resolve()
  await expect.poll(() => ui.store.get().lists.contacts.loading).toBe('idle')
  expect(ui.store.get().lists.contacts.isComplete).toBe(false)
  ui.press('/', 'enter')
  await expect.poll(() => ui.store.get().lists.contacts.isComplete).toBe(true)
  expect(shownCount(ui.store.get().lists.contacts)).toBe(10)
})

test('a whole email address is asked of the server, whose other records are not taken for it', async () => {
  const { url, seen } = await startServer((response, { path }) => {
    const isAsked = path.includes('email=')
    const found = [contact(77, { email: 'far@example.test' }), contact(78, { email: 'other@example.test' })]
    sendJson(response, 200, { data: isAsked ? found : contacts(10), next_cursor: isAsked ? null : 'more' })
  })
  const ui = await uiOf('contacts', { openApi: async () => openClient(url).api })
  await ui.background.lists.more('contacts')
  ui.press('/', ...'far@example.test', 'enter')
  await expect.poll(() => shownCount(ui.store.get().lists.contacts)).toBe(1)
  expect(rowId(shownRow(ui.store.get().lists.contacts, 0))).toBe('con_77')
  expect(ui.store.get().lists.contacts.rows.some(({ id }) => id === 'con_78')).toBe(false)
  expect(seen).toHaveLength(2)
})

test('marks that the filter hides are told, and acting on them asks which are meant', async () => {
  const ui = await uiOf('contacts')
  ui.store.update((state) => withList(state, 'contacts', () => listOf(contacts(3))))
  ui.press(' ', ' ')
  ui.press('/', ...'name 1', 'enter')
  expect(screenOf(ui)).toContain('2 marked, 1 not shown')
  ui.press('b')
  expect(screenOf(ui)).toContain('1 of 2 marked rows is not shown')
  ui.press('enter')
  expect(ui.store.get().overlay).toBeUndefined()
  ui.press('b', 'k', 'enter', ...'company=New', 'enter')
  expect(screenOf(ui)).toContain('Send 1 update to')
  expect(screenOf(ui)).toContain('Name 1  company: (none) -> New')
  ui.press('esc')
  expect(screenOf(ui)).toContain('1 marked')
  ui.press('/', 'ctrl-u', ...'name 2', 'enter')
  expect(screenOf(ui)).toContain('1 marked, not shown')
})

test('the state of an event is not cut at 80 columns; other columns make room', async () => {
  const ui = await uiOf('events')
  const state = 'verified -> 503 x12, no answer x3, 200'
  const row = { id: 'evt_1', event: 'contact.created', record_id: 'con_1', received_at: '2026-11-24T10:00:00.000Z' }
  ui.store.update((before) => withList(before, 'events', () => listOf([{ ...row, state }])))
  expect(screenOf(ui, 80)).toContain(state)
  expect(screenOf(ui, 60)).toContain('no answer x3, 200')
})

test('the hit is shown at 80 columns: its column is never left out, and a long value is cut before it', async () => {
  const ui = await uiOf('contacts')
  const far = contact(1, {
    name: 'A contact with a rather long name that takes all the room it can get',
    email: 'first.middle.and.quite.a.few.more.names.before.it@sales.emea.example-holding.test',
    phone: '+49 30 1234567',
    company: 'A company with a long name, too, GmbH & Co. KG',
  })
  for (const [filter, hit] of [
    ['example-holding', 'example-holding'],
    ['1234567', '1234567'],
    ['co. kg', 'Co.'],
    ['con_1', 'con_1'],
  ] as const) {
    ui.store.update((state) => withList(state, 'contacts', () => setFilter(listOf([far]), filter)))
    const rows = screenOf(ui, 80)
      .split('\n')
      .filter((line) => line.includes('❯'))
    expect(rows.map((line) => stripVTControlCharacters(line)).join(), filter).toContain(hit)
  }
})

test('filters are words of key=value, with quotes around blanks, and values of one key are alternatives', () => {
  expect(parseServerFilters('  ', 'deals')).toEqual({})
  expect(parseServerFilters(`stage='In Review' amount[gte]=1000 stage=Won segment=x`, 'deals')).toEqual({
    stage: 'In Review,Won',
    'amount[gte]': '1000',
    segment: 'x',
  })
})

test.each([
  ['Won', '"Won" is not a filter, expected key=value'],
  ['stage = Won', '"stage" is not a filter, expected key=value'],
  ['stage=Won Lost', '"Lost" is not a filter, expected key=value'],
  ['=Won', '"=Won" is not a filter, expected key=value'],
  ['stage=', '"stage=" is not a filter, expected key=value'],
  ['amount[gte]=abc', 'amount[gte] is "abc", expected a number'],
  ['amount=', '"amount=" is not a filter'],
  ['stgae=Won', 'no field of a deal is called stgae'],
  ["stage='Won", `"stage='Won" is not a filter, expected key=value with closed quotes`],
])('%s is an error, and not ignored', (text, message) => {
  expect(() => parseServerFilters(text, 'deals')).toThrow(message)
})

test('the filters of a list are shown again as typed', () => {
  for (const filters of [{ stage: 'In Review' }, { stage: "O'Brien", 'amount[gte]': '10' }, {}]) {
    expect(parseServerFilters(serverFilterText(filters), 'deals')).toEqual(filters)
  }
})

const WORDS = {
  names: ['stage', 'status', 'owner_id', 'amount[gte]'],
  values: { stage: ['Closed Won', 'Closed Lost', 'Lead'] },
  rows: [{ owner_id: 'u_ines' }, { owner_id: 'u_omar' }, { owner_id: 'u_ines' }],
}

test('names, stages and values of the loaded rows are completed, with quotes where a value has blanks', () => {
  expect(completeFilter('st', WORDS)).toEqual(['stage=', 'status='])
  expect(completeFilter('stage=clo', WORDS)).toEqual(['stage="Closed Won" ', 'stage="Closed Lost" '])
  expect(completeFilter('stage="closed l', WORDS)).toEqual(['stage="Closed Lost" '])
  expect(completeFilter('stage="Closed Won" ow', WORDS)).toEqual(['stage="Closed Won" owner_id='])
  expect(completeFilter('owner_id=', WORDS)).toEqual(['owner_id=u_ines ', 'owner_id=u_omar '])
  expect(completeFilter('nothing=x', WORDS)).toEqual([])
  for (const text of completeFilter('stage=clo', WORDS)) {
    expect(parseServerFilters(text, 'deals').stage).toMatch(/^Closed /)
  }
})

test('a filter that the rows contradict was ignored by the server', () => {
  expect(ignoredFilter({ company: 'acme' }, [{ company: 'Acme' }, { name: 'x' }])).toBeUndefined()
  expect(ignoredFilter({ company: 'Acme,Other' }, [{ company: 'Other' }])).toBeUndefined()
  expect(ignoredFilter({ 'amount[gte]': '5', company: 'Acme' }, [{ company: 'Third' }])).toBe('company=Acme')
})

test('contacts have a misspelt filter refused, with a suggestion', () => {
  expect(() => parseServerFilters('compny=Acme', 'contacts')).toThrow('no field of a contact is called compny')
})
