import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { homeSections } from '../../src/ui/home/sections.ts'
import { emptyList, takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { initialState, type State } from '../../src/ui/state.ts'
import { openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { uiOf } from './ui-of.ts'

const NOW = new Date(2026, 10, 26, 15).getTime()
const DAY_MS = 86_400_000

function daysAgo(days: number): string {
  return new Date(NOW - days * DAY_MS).toISOString()
}

function deal(stage: string, amount: number, members: CrmRecord = {}): CrmRecord {
  return { id: `deal_${stage}_${amount}`, name: `Deal ${amount}`, stage, amount, owner_id: 'u_1', ...members }
}

interface Given {
  readonly deals?: readonly CrmRecord[]
  readonly contacts?: readonly CrmRecord[]
  readonly stages?: readonly CrmRecord[]
  readonly isOpen?: boolean
}

function stateOf({ deals = [], contacts = [], stages, isOpen = false }: Given): State {
  const state = initialState('home', { text: 'test', isProtected: false }, { columns: 80, rows: 40 })
  const listOf = (items: readonly CrmRecord[]) =>
    takePage(emptyList('id'), { items, nextCursor: isOpen ? 'next' : undefined, searched: [] })
  return {
    ...state,
    lists: { ...state.lists, deals: listOf(deals), contacts: listOf(contacts) },
    board: { ...state.board, stages },
    times: { nowMs: NOW, isWhole: false },
  }
}

function sectionOf(given: Given, title: string) {
  const found = homeSections(stateOf(given))
    .flat()
    .find((section) => section.title.startsWith(title))
  if (!found) throw new Error(`no section ${title}`)
  return found
}

const STAGES = [
  { name: 'Lead', probability: 0.1 },
  { name: 'Talks', probability: 0.5 },
  { name: 'Signed', probability: 1 },
  { name: 'Dropped', probability: 0 },
]

test('the pipeline has count, sum and conversion of each stage, without the lost ones', () => {
  const deals = [
    ...Array.from({ length: 6 }, (_, at) => deal('Lead', at)),
    deal('Talks', 1_000),
    deal('Talks', 2_500),
    deal('Signed', 10_000),
    deal('Signed', 20_000),
    deal('Dropped', 7),
  ]
  const { rows, basis } = sectionOf({ deals, stages: STAGES }, 'Pipeline')
  expect(rows.map(({ label, values }) => [label, ...values])).toEqual([
    ['Lead', '6', '15', ''],
    ['Talks', '2', '3.5K', '40 %'],
    ['Signed', '2', '30K', '50 %'],
    ['Dropped', '1', '7', ''],
  ])
  expect(rows.map(({ share }) => share)).toEqual([
    expect.closeTo(0.0005),
    expect.closeTo(0.1166, 3),
    1,
    expect.anything(),
  ])
  expect(basis).toBe('of all 11 deals')
})

test('without the order of the stages no conversion is claimed', () => {
  const { rows, notes } = sectionOf({ deals: [deal('Lead', 1), deal('Won', 2)] }, 'Pipeline')
  expect(rows.map(({ values }) => values[2])).toEqual(['', ''])
  expect(notes).toEqual(['No conversion: the order of the stages is not known.'])
})

test('figures of a part of the records say so, and with which filter of the server', () => {
  expect(sectionOf({ deals: [deal('Lead', 1)], isOpen: true }, 'Pipeline').basis).toBe(
    'of the 1 deals loaded; more may exist',
  )
  const state = stateOf({ deals: [deal('Lead', 1)] })
  const filtered = { ...state.lists.deals, serverFilters: { stage: 'Lead' } }
  const [[pipeline]] = homeSections({ ...state, lists: { ...state.lists, deals: filtered } })
  expect(pipeline?.basis).toBe('of all 1 deals with stage=Lead')
})

test('a filter of the loaded rows changes no figure', () => {
  const state = stateOf({ deals: [deal('Lead', 1), deal('Lead', 2)] })
  const [[pipeline]] = homeSections({
    ...state,
    lists: { ...state.lists, deals: { ...state.lists.deals, filter: 'x', order: [] } },
  })
  expect(pipeline?.rows[0]?.values[0]).toBe('2')
})

test('amounts by owner leave out lost deals, the greatest is first, and small ones are counted together', () => {
  const deals = [
    deal('Lost', 9_000),
    ...Array.from({ length: 9 }, (_, at) => deal('Lead', at + 1, { owner_id: `u_${at}` })),
  ]
  const { rows } = sectionOf({ deals }, 'Amount by owner')
  expect(rows).toHaveLength(7)
  expect(rows[0]).toMatchObject({ label: 'u_8', values: ['1', '9'], share: 1 })
  expect(rows.at(-1)).toMatchObject({ label: '3 others', values: ['3', '6'] })
})

test('stale are open deals that were not changed for 14 days, the oldest first', () => {
  const deals = [
    deal('Lead', 100, { updated_at: daysAgo(15) }),
    deal('Lead', 200, { updated_at: daysAgo(13) }),
    deal('Lead', 300, { created_at: daysAgo(40) }),
    deal('Won', 400, { updated_at: daysAgo(90) }),
    deal('Lead', 500),
  ]
  const { rows, basis, notes } = sectionOf({ deals }, 'Stale')
  expect(rows.map(({ label, values }) => [label, ...values])).toEqual([
    ['Deal 300', '300', 'Lead', '40 d'],
    ['Deal 100', '100', 'Lead', '15 d'],
  ])
  expect(basis).toBe('2 of 4 open deals, 400, not changed for 14 d, of all 5 deals')
  expect(notes).toEqual(['1 open deals have no time of their last change.'])
})

test('created per day ends with today, and counts records without a time', () => {
  const contacts = [daysAgo(0), daysAgo(0), daysAgo(1), daysAgo(27), daysAgo(28)].map((time) => ({ created_at: time }))
  const { rows, notes } = sectionOf({ contacts: [...contacts, { id: 'con_1' }] }, 'Created')
  expect(rows[0]?.values).toEqual(['4', '2 today'])
  expect(rows[0]?.spark?.filter((count) => count > 0)).toEqual([1, 1, 2])
  expect(rows[0]?.spark).toHaveLength(28)
  expect(notes).toEqual(['1 contacts have no time of creation.'])
})

test('Home costs a page of contacts and of deals, and loads all only after a confirmation', async () => {
  const service = await serveForTest()
  const { url, requests } = await countRequests(service.url)
  const { api } = openClient(new URL(url), { key: service.key.text, terms: { ...SERVER_TERMS, pageSize: 2 } })
  const options = { idempotencyKey: undefined }
  for (let at = 0; at < 5; at++) {
    await api.contacts.create({ name: `C ${at}`, email: `c${at}@example.test` }, options)
    await api.deals.create({ name: `D ${at}`, stage: 'Lead', amount: at }, options)
  }
  requests.length = 0
  const ui = await uiOf('contacts', { openApi: async () => api })
  const rows = () => [ui.store.get().lists.contacts.rows.length, ui.store.get().lists.deals.rows.length]
  ui.press('0')
  await expect.poll(() => ui.store.get().board.stages?.length).toBeGreaterThan(0)
  expect(rows()).toEqual([2, 2])
  ui.press('j', 'ctrl-d', 'G', 'g', 'g', 'L')
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm', isOnCancel: true })
  ui.press('enter')
  expect(rows()).toEqual([2, 2])
  const isOfLists = (line: string) => /contacts|deals|pipelines/.test(line)
  const asked = requests.filter((line) => isOfLists(line) && !/^GET .v1.pipelines\b/.test(line))
  expect(asked.toSorted()).toEqual(['GET /v1/contacts?limit=2', 'GET /v1/deals?limit=2'])
  expect(requests.filter((line) => !isOfLists(line) && !/openapi|webhooks|graphql/.test(line))).toEqual([])
  ui.press('L', 'y')
  await expect.poll(rows).toEqual([5, 5])
  const { lines } = drawFrame(ui.store.get(), { theme: createTheme('none'), keymap: ui.keymap, boards: ui.boards })
  const text = lines.map(stripVTControlCharacters).join('\n')
  expect(text).toContain('Pipeline  of all 5 deals')
  expect(text).toContain('Lead')
})

test('Esc on Home leaves marks and panes of the deals as they are', async () => {
  const ui = await uiOf('home')
  ui.store.update((state) => ({
    ...state,
    lists: { ...state.lists, deals: { ...state.lists.deals, marks: new Set(['deal_1']), isDetailOpen: true } },
  }))
  ui.press('esc', 'esc', 'esc')
  expect(ui.store.get().lists.deals).toMatchObject({ marks: new Set(['deal_1']), isDetailOpen: true })
})

test('amounts that are not numbers are counted, not summed as nothing', () => {
  const deals = [deal('Lead', 5), { ...deal('Lead', 0), amount: '12 EUR' }, { ...deal('Lead', 1), amount: null }]
  const { notes, rows } = sectionOf({ deals, stages: STAGES }, 'Pipeline')
  expect(rows[0]).toMatchObject({ label: 'Lead', values: ['3', '5', ''] })
  expect(notes).toContain('Not in the amounts: 1 that is not a number.')
})
