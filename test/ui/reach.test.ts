import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { createConnector } from '../../src/api/connectors/connector.ts'
import { learnOffered } from '../../src/ui/background/learn-offered.ts'
import { watchNotes } from '../../src/ui/background/pane.ts'
import { currentRow } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { ScreenName } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { openClient } from '../api/client-fixture.ts'
import { shippedDocument } from '../connector/shipped-documents.ts'
import { startPipedrive } from '../connectors/emulators/pipedrive.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { recordsWithJobs } from './records-with-jobs.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const textOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards })
    .lines.map(stripVTControlCharacters)
    .join('\n')

const lastToast = (ui: TestUi) => ui.store.get().toasts.at(-1)?.text

async function screenOf(screen: ScreenName, api: Api, world: Parameters<typeof uiOf>[1] = {}): Promise<TestUi> {
  const openApi = async () => api
  const ui = await uiOf(screen, { openApi, ...world })
  await learnOffered(ui.store, openApi)
  return ui
}

async function serviceApi() {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  return { service, api }
}

test('a note of two lines is on the contact alone, and its pane shows it', async () => {
  const emulator = await startPipedrive({ records: 2 })
  onTestFinished(() => emulator.close())
  const baseUrl = new URL(`${emulator.url}/api/v2`)
  const connector = createConnector(shippedDocument('pipedrive'), { baseUrl, variables: { company: 'acme' } })
  const ui = await screenOf('contacts', openClient(baseUrl, { connector, key: emulator.key }).api)
  onTestFinished(watchNotes(ui.store, ui.world.openApi, ui.boards))
  await ui.background.lists.more('contacts')
  const id = String(ui.store.get().lists.contacts.rows[0]?.id)
  ui.press('a', ...'Called', 'ctrl-o', ...'Writes back')
  expect(textOf(ui)).toContain('Called⏎Writes back')
  ui.press('enter')
  await expect.poll(() => lastToast(ui)).toContain('Added the note')
  const [note] = emulator.records('notes')
  expect(note).toMatchObject({ content: 'Called<br>Writes back' })
  expect([String(note?.person_id), note?.deal_id ?? null]).toEqual([id, null])
  ui.press('enter')
  await expect.poll(() => textOf(ui)).toMatch(/notes \(1\).*Called.*Writes back/s)
  // Deals have numbers, too: the note is not on the deal with the same one.
  await ui.background.lists.more('deals')
  expect(ui.store.get().lists.deals.rows[0]?.id).toBe(id)
  ui.press('2', 'enter')
  expect(textOf(ui)).not.toContain('Writes back')
})

test('where the server has notes on deals alone, the key says so on contacts', async () => {
  const { api } = await serviceApi()
  const ui = await screenOf('contacts', api)
  ui.press('a')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(lastToast(ui)).toContain('crm (connector) has notes on deals alone, not on contacts')
})

test('. on an event opens its record with the pane, also one that is not loaded, and names a deleted one', async () => {
  const { ui, rows, api, service } = await recordsWithJobs('deals', [
    { name: 'One', stage: 'Lead' },
    { name: 'Two', stage: 'Lead' },
  ])
  const far = (await service.send('POST', '/v1/deals', { name: 'Far', stage: 'Lead' })).json
  const dead = (await service.send('POST', '/v1/contacts', { name: 'Dead' })).json
  await api.contacts.delete(String(dead.id), { ifMatch: undefined })
  const event = (name: string, id: unknown) => ({ id: `evt_${id}`, event: name, record_id: String(id) })
  const events = [
    event('deal.updated', rows[1]?.id),
    event('deal.created', far.id),
    event('contact.deleted', dead.id),
    event('note.created', 'note_1'),
  ]
  const open = (at: number) => {
    ui.store.update((state) =>
      withList({ ...state, screen: 'events' }, 'events', (list) => ({ ...list, rows: events, cursor: at })),
    )
    ui.press('.')
  }
  open(0)
  expect(ui.store.get()).toMatchObject({ screen: 'deals', lists: { deals: { cursor: 1, isDetailOpen: true } } })
  open(1)
  await expect.poll(() => ui.store.get().screen).toBe('deals')
  expect(textOf(ui)).toMatch(/the record of deal.created \(r shows all\)/)
  expect(currentRow(ui.store.get().lists.deals)).toMatchObject({ name: 'Far', stage: 'Lead' })
  open(2)
  await expect.poll(() => lastToast(ui)).toContain(`${dead.id} of contact.deleted is deleted`)
  open(3)
  expect(lastToast(ui)).toContain('no screen shows the record of note.created')
  expect(ui.store.get().screen).toBe('events')
})

test('. on a job opens the records that it changed alone, and r all again', async () => {
  const { ui, rows, shown, settled } = await recordsWithJobs('contacts', [
    { name: 'Ada' },
    { name: 'Bo' },
    { name: 'Cy' },
  ])
  const changes = rows.slice(1).map((row) => ({ row, patch: { company: 'Acme' } }))
  await ui.background.sendChanges({ name: 'contacts', changes })
  await settled()
  ui.press('5')
  await expect.poll(() => ui.store.get().lists.jobs.rows.length).toBe(1)
  ui.press('.')
  await expect.poll(() => ui.store.get().screen).toBe('contacts')
  expect(textOf(ui)).toMatch(/1-2 of 2 · the 2 records of job_\w+ \(r shows all\)/)
  await ui.background.lists.more('contacts')
  expect(shown('name')).toEqual(['Bo', 'Cy'])
  ui.press('r')
  // A page of this client has two rows.
  await expect.poll(() => textOf(ui)).toMatch(/1-2 of 2\+/)
  expect(textOf(ui)).not.toContain('the 2 records')
})

test('n subscribes an address to events that Tab completes, and shows the secret once', async () => {
  const { api } = await serviceApi()
  const ui = await screenOf('webhooks', api)
  ui.press('n', ...'https://app.example/hook', 'enter')
  expect(ui.store.get().overlay).toMatchObject({
    type: 'prompt',
    problem: expect.stringContaining('an address and events'),
  })
  ui.press(' ', ...'deal.u', 'tab', ',', ...'contact.*', 'enter')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('choice')
  const secret = /whsec_\S+/.exec(textOf(ui))?.[0] ?? ''
  expect(secret).toMatch(/^whsec_/)
  const row = ui.store.get().lists.webhooks.rows[0]
  expect(row).toMatchObject({ url: 'https://app.example/hook', events: 'deal.updated, contact.*' })
  ui.press('enter')
  expect(JSON.stringify(ui.store.get())).not.toContain(secret)
  ui.press('n', ...'https://app.example/hook deel.*', 'enter')
  await expect.poll(() => ui.store.get().overlay).toMatchObject({ type: 'prompt' })
  expect(ui.store.get().lists.webhooks.rows.length).toBe(1)
})

test('l reaches the columns that do not fit: the first stays, and those after it make room', async () => {
  const ui = await uiOf('contacts')
  const row = { id: 'con_0123456789a', name: 'Ada Lovelace of London', email: 'ada.lovelace@engines.example' }
  const rows = [
    {
      ...row,
      phone: '+44 20 7946 0958',
      company: 'Analytical Engines',
      owner_id: 'usr_1',
      created_at: '2026-11-01T00:00:00Z',
    },
  ]
  ui.store.update((state) => withList({ ...state, columns: 80 }, 'contacts', (list) => ({ ...list, rows })))
  const head = () =>
    textOf(ui)
      .split('\n')
      .find((line) => /NAME\b/.test(line)) ?? ''
  expect(head()).not.toContain('OWNER')
  ui.press('l', 'l', 'l', 'l', 'l')
  expect(head()).toMatch(/^ +NAME .*\[OWNER\]/)
  expect(head()).not.toContain('EMAIL')
  ui.press('l', 'l')
  expect(head()).toMatch(/NAME .*\[CREATED\]/)
  ui.press('h', 'h', 'h', 'h', 'h', 'h')
  expect(head()).toMatch(/\[NAME\] +EMAIL/)
  expect(head()).not.toContain('OWNER')
})
