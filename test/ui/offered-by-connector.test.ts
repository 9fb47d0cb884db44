import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { createApi } from '../../src/api/client.ts'
import { createConnector } from '../../src/api/connectors/connector.ts'
import { openConnector } from '../../src/api/connectors/open-connector.ts'
import { serverTerms } from '../../src/api/server-terms.ts'
import { learnOffered } from '../../src/ui/background/learn-offered.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { Overlay } from '../../src/ui/overlay.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import type { ScreenName, ServerList } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { connectedTo } from '../api/connectors/connected.ts'
import { shippedDocument } from '../connector/shipped-documents.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { jobsAt } from './jobs-at.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const READ_ONLY_CONTACTS = `
paging: none
objects:
  contacts: { path: /people, verbs: { list: {} }, fields: { name: full_name } }
`

const CONTACTS_AND_DEALS = `
paging: none
objects:
  contacts: { path: /people, verbs: { list: {}, create: {} }, fields: { name: full_name } }
  deals: { path: /deals, verbs: { list: {}, update: {} }, read_only: [won_at], fields: { name: title, amount: { read: total } } }
`

async function screenOf(screen: ScreenName, api: Api): Promise<TestUi> {
  const openApi = async () => api
  const ui = await uiOf(screen, { openApi })
  await learnOffered(ui.store, openApi)
  return ui
}

async function screenBy(screen: ScreenName, lines: string): Promise<TestUi> {
  const { api } = await connectedTo(lines, (response) => sendJson(response, 200, []))
  return screenOf(screen, api)
}

async function shippedScreen(screen: ScreenName, name: string): Promise<TestUi> {
  const { url } = await startServer((response) => sendJson(response, 404, {}))
  const variables = { company: 'acme', user: '0'.repeat(24) }
  const connector = createConnector(shippedDocument(name), { baseUrl: url, variables })
  return screenOf(screen, openClient(url, { connector }).api)
}

function fieldNames(overlay: Overlay | undefined): readonly string[] {
  return overlay?.type === 'form' ? overlay.fields.map(({ name }) => name) : []
}

function withRow(ui: TestUi, list: ServerList, row: Record<string, string>): void {
  const page = { items: [row], nextCursor: undefined, isOpen: false, searched: searchedIn(list) }
  ui.store.update((state) => withList(state, list, (before) => takePage(before, page)))
}

const lastToast = (ui: TestUi) => ui.store.get().toasts.at(-1)?.text

function header(ui: TestUi): string {
  const drawing = { theme: createTheme('none'), keymap: ui.keymap, boards: ui.boards }
  return drawFrame(ui.store.get(), drawing).lines.slice(0, 3).join('\n')
}

test('the form of a new contact has the fields of the connector', async () => {
  const ui = await shippedScreen('contacts', 'pipedrive')
  ui.press('n')
  expect(fieldNames(ui.store.get().overlay)).toEqual(['name', 'email', 'phone', 'owner_id', 'company_id'])
})

test('a field that is set on a create alone is in the form of a new record, and not in that of an edit', async () => {
  const ui = await shippedScreen('contacts', 'onepagecrm')
  ui.press('n')
  expect(fieldNames(ui.store.get().overlay)).toContain('company')
  ui.press('esc')
  withRow(ui, 'contacts', { id: 'c1', name: 'Ada', company: 'Acme', status: 'lead', background: 'x' })
  ui.press('e')
  const edited = fieldNames(ui.store.get().overlay)
  expect(edited).toEqual(expect.arrayContaining(['name', 'background']))
  expect(edited).not.toContain('company')
  expect(edited).not.toContain('status')
})

test('a list has the columns of the connector', async () => {
  const ui = await shippedScreen('contacts', 'pipedrive')
  expect(header(ui)).toMatch(/\[NAME\] +EMAIL +PHONE +ID/)
  expect(header(ui)).not.toContain('COMPANY')
})

test('a filter that the connector lacks is refused with those that it has', async () => {
  const ui = await shippedScreen('deals', 'pipedrive')
  ui.press('f')
  const { overlay } = ui.store.get()
  const refusal = overlay?.type === 'prompt' ? overlay.refusal : undefined
  expect(refusal?.('stage=Won')).toContain('pipedrive (connector) has no filter "stage" of deals')
  expect(refusal?.('stage=Won')).toContain('owner_id, pipeline_id')
  expect(refusal?.('owner_id=12')).toBeUndefined()
})

test('a member that the server sets is refused in a change of marked rows', async () => {
  const ui = await shippedScreen('contacts', 'pipedrive')
  withRow(ui, 'contacts', { id: '1', name: 'Ada', first_name: 'Ada', label: 'x' })
  ui.press('b')
  const { overlay } = ui.store.get()
  const refusal = overlay?.type === 'prompt' ? overlay.refusal : undefined
  expect(refusal?.('first_name=Eve')).toContain('pipedrive (connector) never changes first_name')
  expect(refusal?.('company=Acme')).toContain('no contact that is loaded has a member company')
  expect(refusal?.('label=y')).toBeUndefined()
})

test('keys that a read-only connector cannot serve say so, and open nothing', async () => {
  const ui = await screenBy('contacts', READ_ONLY_CONTACTS)
  withRow(ui, 'contacts', { id: '1', name: 'Ada' })
  for (const [key, lack] of [
    ['n', 'made (connector) has no create of contacts'],
    ['e', 'made (connector) has no update of contacts'],
    ['E', 'made (connector) has no update of contacts'],
    ['b', 'made (connector) has no update of contacts'],
    ['d', 'made (connector) has no delete of contacts'],
  ] as const) {
    ui.press(key)
    expect(ui.store.get().overlay).toBeUndefined()
    expect(lastToast(ui)).toContain(lack)
  }
})

test('screens that the connector lacks are not offered, are passed over by Tab, and say why at their key', async () => {
  const ui = await screenBy('contacts', READ_ONLY_CONTACTS)
  expect(stripVTControlCharacters(header(ui))).toContain('[1 Contacts] 4 Events  5 Jobs')
  ui.press('2', 'enter')
  expect(ui.store.get().screen).toBe('contacts')
  expect(lastToast(ui)).toContain('made (connector) has no deals')
  ui.press('tab')
  expect(ui.store.get().screen).toBe('events')
})

test('deals without stages have no board and are not moved, and without notes get none', async () => {
  const ui = await screenBy('deals', CONTACTS_AND_DEALS)
  withRow(ui, 'deals', { id: '1', name: 'Engines' })
  for (const [key, lack] of [
    ['3', 'made (connector) has no stages of deals'],
    ['m', 'made (connector) has no stages of deals'],
    ['a', 'made (connector) has no notes'],
    ['f', 'made (connector) has no filters of deals'],
    ['n', 'made (connector) has no create of deals'],
  ] as const) {
    ui.press(...(key === '3' ? [key, 'enter'] : [key]))
    expect(ui.store.get()).toMatchObject({ screen: 'deals', overlay: undefined })
    expect(lastToast(ui)).toContain(lack)
  }
})

test('the selected column of a list is one that the connector has', async () => {
  const ui = await screenBy('deals', CONTACTS_AND_DEALS.replace('name: title, ', ''))
  expect(ui.store.get().lists.deals.column).toBe('amount')
})

/** The deals screen at a service, of which the connector says so much. */
async function dealsScreen(name: 'crm' | 'contract') {
  const service = await serveForTest()
  const { url } = service
  const { json } = await service.send('POST', '/v1/deals', { name: 'Engines', stage: 'Lead' })
  const api: Api = createApi({
    ...{
      baseUrl: new URL(url),
      key: service.key.text,
      terms: serverTerms({ idempotency: 'none' }),
      connector: await openConnector({ name, variables: {} }, { baseUrl: new URL(url), pageSize: undefined }),
      userAgent: 'test',
      now: Date.now,
    },
    ...{ timeoutMs: 5000, maxWaitMs: 0, signal: new AbortController().signal, debug: undefined, onWait: undefined },
  })
  const openApi = async () => api
  const jobs = await jobsAt(new URL(url), service.key.text)
  const ui = await uiOf('deals', { openApi, openJobs: async () => jobs })
  await learnOffered(ui.store, openApi)
  return { service, ui, deal: json }
}

test('a deal is deleted where the server has the request', async () => {
  const { service, ui, deal } = await dealsScreen('crm')
  const lacks = Object.entries(ui.store.get().offered.lacks).filter(([, lack]) => lack !== undefined)
  expect(lacks.filter(([need]) => !need.startsWith('create notes on '))).toEqual([])
  await ui.background.sendChanges({ name: 'deals', changes: [{ row: deal as never, patch: null }] })
  expect((await service.send('GET', '/v1/deals')).json.data).toEqual([])
})

test('the key that deletes a deal says that a server cannot, and the form of a new one says it, too', async () => {
  const { ui } = await dealsScreen('contract')
  ui.press('d')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(ui.store.get().toasts.at(-1)?.text).toContain('contract (connector) has no delete of deals')
  ui.press('n')
  expect(ui.store.get().overlay).toMatchObject({ title: 'New deal (deals cannot be deleted)' })
})

test('the form of a new deal says nothing about deletion where the server deletes deals', async () => {
  const { ui } = await dealsScreen('crm')
  ui.press('n')
  expect(ui.store.get().overlay).toMatchObject({ title: 'New deal' })
})
