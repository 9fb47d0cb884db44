import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { withDeliveries } from '../../src/ui/background/webhooks.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { CONTRACT, openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

const OPTIONS = { idempotencyKey: undefined }
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/hook'

async function screenAt(connector?: typeof CONTRACT) {
  const service = await serveForTest()
  const url = new URL(service.url)
  const direct = openClient(url, { key: service.key.text, terms: SERVER_TERMS }).api
  const { id, secret } = await direct.webhooks.create({ url: NOWHERE, events: ['contact.*'] }, OPTIONS)
  const described = connector && { connector: connector(url, SERVER_TERMS) }
  const { api } = openClient(url, { key: service.key.text, terms: SERVER_TERMS, ...described })
  const ui = await uiOf('contacts', { openApi: async () => api })
  return { ui, direct, id: String(id), secret: String(secret) }
}

const rowsOf = (ui: TestUi) => ui.store.get().lists.webhooks.rows

function textOf({ store, keymap, boards }: TestUi): string {
  const { lines } = drawFrame(store.get(), { theme: createTheme('none'), keymap, boards })
  return lines.map(stripVTControlCharacters).join('\n')
}

async function opened(ui: TestUi): Promise<void> {
  ui.press('tab', 'tab', 'tab', 'tab', 'tab')
  expect(ui.store.get().screen).toBe('webhooks')
  await expect.poll(() => rowsOf(ui)[0]?.last).toBeDefined()
}

test('subscriptions have their state and last delivery, and no secret', async () => {
  const { ui, direct, secret } = await screenAt()
  await direct.contacts.create({ name: 'Ada', email: 'ada@example.test' }, OPTIONS)
  await opened(ui)
  expect(rowsOf(ui)[0]).toMatchObject({ status: 'enabled', events: 'contact.*', last: 'pending', failing: 0 })
  expect(rowsOf(ui)[0]?.['delivery 1']).toContain('contact.created')
  expect(textOf(ui)).toContain(NOWHERE)
  expect(JSON.stringify(ui.store.get().lists)).not.toContain(secret)
})

test('the last delivery is the newest, with its attempts, and those count as failing whose last attempt failed', () => {
  const items = [
    { state: 'pending', attempts: 2, last_status: 503, last_error: null, event_id: 'evt_3', last_try_at: '2026-11-26' },
    { state: 'succeeded', attempts: 3, last_status: 200, last_error: null },
    { state: 'failed', attempts: 10, last_status: null, last_error: 'refused', kind: 'deal.created' },
    { state: 'pending', attempts: 0, last_status: null, last_error: null },
  ]
  const row = withDeliveries({ id: 'wh_1', url: NOWHERE }, { items, hasOlder: false })
  expect(row).toMatchObject({ last: '503 pending', attempts: 2, last_at: '2026-11-26', failing: 2, looked_at: 4 })
  expect(row['delivery 2']).toBe('200 · 3 attempts')
  expect(row['delivery 3']).toBe('no answer failed · 10 attempts · deal.created · refused')
  expect(row).not.toHaveProperty('older')
})

test('a subscription is disabled and enabled only after a confirmation, typed on a protected profile', async () => {
  const { ui, direct, id } = await screenAt()
  await opened(ui)
  ui.press('D', 'enter')
  expect((await direct.webhooks.get(id))?.status).toBe('enabled')
  ui.press('D', 'y')
  await expect.poll(() => rowsOf(ui)[0]?.status).toBe('disabled')
  ui.store.update((state) => ({ ...state, place: { ...state.place, isProtected: true } }))
  ui.press('D', 'y', 'enter')
  // Still asking: no request was begun.
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm' })
  expect((await direct.webhooks.get(id))?.status).toBe('disabled')
  ui.press('esc', 'D', '1', 'enter')
  await expect.poll(() => rowsOf(ui)[0]?.status).toBe('enabled')
})

test('a new secret is shown once, and is in no message, list or remembered state', async () => {
  const { ui, secret } = await screenAt()
  await opened(ui)
  ui.press('S', 'y')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('choice')
  const shown = /whsec_\S+/.exec(textOf(ui))?.[0] ?? ''
  expect(shown).toMatch(/^whsec_/)
  expect(shown).not.toBe(secret)
  ui.press('enter')
  expect(JSON.stringify(ui.store.get())).not.toContain(shown)
})

test('a test event is sent, and a subscription deleted, after a confirmation', async () => {
  const { ui, direct, id } = await screenAt()
  await opened(ui)
  ui.press('T', 'y')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toContain(`sends a test event to ${id}`)
  ui.press('d', 'd', 'esc')
  expect(await direct.webhooks.get(id)).toBeDefined()
  ui.press('d', 'y')
  await expect.poll(() => rowsOf(ui)).toEqual([])
  expect(await direct.webhooks.get(id)).toBeUndefined()
})

test('nothing is sent again to a subscription without a failed delivery', async () => {
  const { ui } = await screenAt()
  await opened(ui)
  ui.press('R')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(ui.store.get().toasts.at(-1)?.text).toContain('none of its deliveries failed')
})

test('the screen says that it shows the newest ten deliveries, and which commands cover the others', async () => {
  const { ui, direct, id } = await screenAt()
  for (let at = 0; at < 11; at++) await direct.webhooks.test(id, OPTIONS)
  await opened(ui)
  expect(rowsOf(ui)[0]).toMatchObject({ looked_at: 10, older: `newest 10; more: crm webhooks deliveries ${id}` })
  expect(textOf(ui)).toContain('newest 10; more: crm webhooks deliveries')
  ui.press('R')
  expect(ui.store.get().toasts.at(-1)?.text).toContain(`older ones: crm webhooks resend ${id} --failed`)
})

test('a connector that lists no subscriptions says so in a sentence, and no key asks anything', async () => {
  const { ui } = await screenAt(CONTRACT)
  ui.press('tab', 'tab', 'tab', 'tab', 'tab')
  await expect.poll(() => ui.store.get().webhooks.lack).toBeDefined()
  expect(textOf(ui)).toContain(ui.store.get().webhooks.lack?.slice(0, 30))
  ui.press('D', 'S', 'd', 'T', 'R')
  expect(ui.store.get().overlay).toBeUndefined()
})
