import { expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import type { ListenEvent } from '../../src/core/webhook-events.ts'
import { watchNotes } from '../../src/ui/background/pane.ts'
import type { LiveEvents } from '../../src/ui/background/parts.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { ScreenName } from '../../src/ui/screens.ts'
import { type Answering, type SeenRequest, sendJson, startServer } from '../api/answering-server.ts'
import { openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

const terms = { ...SERVER_TERMS, pageSize: 100 }

type Row = Readonly<Record<string, unknown>>

const rows = (count: number, from = 0): readonly Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `con_${from + at}`,
    name: `Row ${from + at}`,
    stage: 'Lead',
    amount: 1,
  }))

async function apiOf(answer: Answering): Promise<{ api: Api; seen: readonly SeenRequest[] }> {
  const { url, seen } = await startServer(answer)
  return { api: openClient(url, { terms }).api, seen }
}

async function opened(answer: Answering, screen: ScreenName = 'contacts'): Promise<TestUi> {
  const { api } = await apiOf(answer)
  const ui = await uiOf(screen, { openApi: async () => api })
  for (const _ of [1, 2]) await ui.background.lists.more(screen === 'contacts' ? 'contacts' : 'deals')
  return ui
}

const answers =
  (body: unknown): Answering =>
  (response) =>
    sendJson(response, 200, body)

test('beside keys the pages of a load of all rows come more slowly, and Esc between two of them ends it', async () => {
  const times: number[] = []
  const uis: TestUi[] = []
  const { api } = await apiOf((response, { path }) => {
    times.push(performance.now())
    uis.at(-1)?.press('z')
    const from = Number(new URLSearchParams(path.split('?')[1]).get('cursor') ?? 0)
    sendJson(response, 200, { data: rows(10, from), next_cursor: from < 40 ? String(from + 10) : null })
  })
  const ui = await uiOf('contacts', { openApi: async () => api })
  uis.push(ui)
  await ui.background.lists.all('contacts')
  expect(ui.store.get().lists.contacts.rows).toHaveLength(50)
  const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  expect(Math.min(...waits)).toBeGreaterThan(20)
  const other = await uiOf('contacts', { openApi: async () => api })
  uis.push(other)
  times.length = 0
  other.store.subscribe(() => {
    if (other.store.get().lists.contacts.rows.length === 10) other.background.lists.cancel()
  })
  await other.background.lists.all('contacts')
  expect(times).toHaveLength(1)
})

/** A page of 20 again and again. */
const ENDLESS = { data: rows(20), next_cursor: 'x' }

function linesOf({ store, keymap, boards }: TestUi): readonly string[] {
  return drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines
}

const screenOf = (ui: TestUi) => linesOf(ui).join('\n')
/** The line with the count. */
const statusOf = (ui: TestUi) => linesOf(ui)[1]?.trim()

const ids = ({ store }: TestUi) => store.get().lists.contacts.rows.map(({ id }) => id)

test('a list that repeats a page shows that its end is unknown, with the reason in the log', async () => {
  const ui = await opened(answers(ENDLESS))
  expect(statusOf(ui)).toBe('1-20 of 20+ · end of list unknown: crm doctor')
  const [entry] = ui.store.get().lists.log.rows
  expect(entry?.message).toContain('the server answers with records of an earlier page')
})

test('an empty list that is a refusal is not shown as an account without contacts', async () => {
  const ui = await opened(answers({ success: false, message: 'No permission', data: [], next_cursor: null }))
  expect(statusOf(ui)).toBe('nothing loaded yet · not complete (r tries again)')
  const [entry] = ui.store.get().lists.log.rows
  expect(entry?.message).toContain('No permission')
})

test('an answer without the place of the records is not shown as an account without contacts', async () => {
  const ui = await opened(answers({ contacts: [], next_cursor: null }))
  expect(statusOf(ui)).toBe('nothing loaded yet · not a list that crm can read: crm doctor')
})

test('filter and sort name the rows that they cover where not all are loaded', async () => {
  const ui = await opened(answers(ENDLESS))
  ui.press('/', ...'Row 19', 'enter')
  expect(statusOf(ui)).toBe('1-1 of 1+ · end of list unknown: crm doctor · found for "Row 19" among the 20 loaded')
  ui.press('/', ...'zzz', 'enter')
  expect(statusOf(ui)).toContain('0-0 of 0+ · end of list unknown: crm doctor')
  ui.press('esc', 'esc', 's')
  expect(statusOf(ui)).toBe('1-20 of 20+ · end of list unknown: crm doctor · the 20 loaded sorted by name ↑')
})

test('the board counts the deals of an unknown end as at least so many', async () => {
  const ui = await opened(answers(ENDLESS), 'pipelines')
  expect(statusOf(ui)).toBe('20+ deals · end of list unknown: crm doctor')
  expect(screenOf(ui)).toContain('20+ · 20+ · 100 %')
})

test('r requests a list again whose end was unknown, and lists no row twice', async () => {
  let body: unknown = ENDLESS
  const ui = await opened((response) => sendJson(response, 200, body))
  expect(statusOf(ui)).toContain('end of list unknown')
  body = { data: rows(21), next_cursor: null }
  await ui.background.lists.reload('contacts')
  expect(statusOf(ui)).toBe('1-21 of 21')
  expect(ids(ui)).toHaveLength(21)
})

test('the newest 2,000 events of a longer log are not counted as all', async () => {
  let receive = (_: ListenEvent): void => {}
  const live: LiveEvents = { url: 'http://localhost/', onEvents: (take) => (receive = take) }
  const ui = await uiOf('events', { live })
  for (let at = 0; at < 2001; at++) {
    receive({
      ...{ type: 'event', id: `evt_${at}`, name: 'deal.created', recordId: 'deal_1', receivedAtMs: at },
      ...{ isVerified: true, isDuplicate: false, scheme: undefined, subscriptionId: undefined },
      body: { type: 'json', text: '{}', value: {} },
      delivery: { url: 'http://localhost/', headers: [], bytes: Buffer.alloc(0) },
    })
  }
  await ui.background.events.look()
  expect(statusOf(ui)).toContain(' of 2000+ ')
})

test('a deal with more notes than the pane holds names the command that lists them', async () => {
  const service = await startService()
  const [dealId = ''] = await make(service, '/v1/deals', [{ name: 'Big', stage: 'Lead' }])
  await make(
    service,
    `/v1/deals/${dealId}/notes`,
    Array.from({ length: 51 }, (_, at) => ({ body: `note ${at}` })),
  )
  const { api } = openClient(new URL(service.url), { key: service.key, terms })
  const ui = await uiOf('deals', { openApi: async () => api })
  onTestFinished(watchNotes(ui.store, async () => api, ui.boards))
  await ui.background.lists.more('deals')
  ui.press('enter')
  await expect.poll(() => ui.store.get().notes?.items.length, { timeout: 5_000 }).toBe(50)
  ui.store.update((state) => ({ ...state, columns: 240, rows: 150 }))
  expect(screenOf(ui)).toContain(`only 50 notes are shown: crm notes list ${dealId}`)
})
