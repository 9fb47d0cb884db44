import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { ListenEvent, ReceivedEvent } from '../../src/core/webhook-events.ts'
import { homeSections } from '../../src/ui/home/sections.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { ScreenName } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { openClient } from '../api/client-fixture.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { contact } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const screenOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards })
    .lines.map(stripVTControlCharacters)
    .join('\n')

const contactsOf = ({ store }: TestUi) => store.get().lists.contacts

async function following(names: readonly string[], screen: ScreenName = 'contacts') {
  const service = await serveForTest()
  const ids: string[] = []
  for (const name of names) {
    const { json } = await service.send('POST', '/v1/contacts', { name, company: 'Acme' })
    ids.push(String(json.id))
  }
  const counter = await countRequests(service.url)
  const { api } = openClient(new URL(counter.url), { key: service.key.text })
  const ui = await uiOf(screen, { openApi: async () => api })
  await ui.background.lists.all('contacts')
  return { service, ids, counter, ui, look: ui.background.following.look }
}

test('changes of others appear in place, new records are counted, and no row moves, whatever sort and filter say', async () => {
  const { service, ids, ui, look } = await following(['Ada', 'Grace', 'Edsger'])
  ui.press('j', 's')
  const before = { ...contactsOf(ui), names: contactsOf(ui).rows.map(({ id }) => id) }
  await service.send('PATCH', `/v1/contacts/${ids[2]}`, { name: 'Zoe' })
  await service.send('POST', '/v1/contacts', { name: 'New' })
  await service.send('DELETE', `/v1/contacts/${ids[0]}`)
  await look()
  const { cursor, order, rows, news, gone } = contactsOf(ui)
  expect({ cursor, order, ids: rows.map(({ id }) => id), news, gone: gone.size }).toEqual({
    ...{ cursor: before.cursor, order: before.order, ids: before.names, news: 1, gone: 0 },
  })
  expect(rows.find(({ id }) => id === ids[2])?.name).toBe('Zoe')
  expect(screenOf(ui)).toContain('1 new (r shows)')
})

test('nothing is asked while a question is open, on Home, or while the terminal is lent', async () => {
  const { ui, look, counter } = await following(['Ada'])
  const count = counter.requests.length
  ui.press('f')
  await look()
  ui.press('esc')
  await ui.background.following.without(look)
  ui.store.update((state) => ({ ...state, screen: 'home' }))
  await look()
  expect(counter.requests).toHaveLength(count)
  ui.store.update((state) => ({ ...state, screen: 'contacts' }))
  await Promise.all([look(), look()])
  expect(counter.requests).toHaveLength(count + 1)
})

test('an answer for a list that was changed meanwhile is not shown', async () => {
  const { service, ids, ui, look } = await following(['Ada'])
  await service.send('PATCH', `/v1/contacts/${ids[0]}`, { name: 'Theirs' })
  const looked = look()
  ui.press('n')
  await looked
  expect(contactsOf(ui).rows[0]?.name).toBe('Ada')
})

test('a failed refresh is told in the status line alone, with the time of what is shown', async () => {
  const { service, ui, look } = await following(['Ada'])
  const time = new Date(contactsOf(ui).readAtMs ?? 0).toTimeString().slice(0, 5)
  await service.server.close()
  await look()
  expect(screenOf(ui)).toContain(`not refreshed since ${time}`)
  expect(ui.store.get().toasts).toEqual([])
})

test('the age of what is shown is told from a minute on, and ends with a refresh', async () => {
  const { ui, look } = await following(['Ada'])
  expect(screenOf(ui)).not.toContain('as of')
  ui.store.update((state) => ({ ...state, times: { ...state.times, nowMs: Date.now() + 150_000 } }))
  expect(screenOf(ui)).toContain('as of 2 min ago')
  ui.store.update((state) => withList(state, 'contacts', (list) => ({ ...list, readAtMs: 0 })))
  await look()
  expect(Date.now() - (contactsOf(ui).readAtMs ?? 0)).toBeLessThan(10_000)
})

function event(name: string, data: object, more: Partial<ReceivedEvent> = {}): ListenEvent {
  const value = { type: name, data: { ...data } } as never
  return {
    ...{ type: 'event', id: 'evt_1', name, recordId: 'con_1', receivedAtMs: Date.now() },
    ...{ isVerified: true, isDuplicate: false, scheme: undefined, subscriptionId: undefined },
    body: { type: 'json', text: JSON.stringify(value), value },
    delivery: { url: 'http://localhost/', headers: [], bytes: Buffer.alloc(0) },
    ...more,
  }
}

test('events of a receiver change their rows at once: signed ones, the newest of a record', async () => {
  let receive = (_: ListenEvent): void => {}
  const ui = await uiOf('contacts', { live: { url: 'http://localhost/', onEvents: (take) => (receive = take) } })
  const items = [contact(1, { updated_at: '2026-03-01T09:30:00Z' }), contact(2)]
  ui.store.update((state) =>
    withList(state, 'contacts', (list) => ({
      ...takePage(list, { items, nextCursor: undefined, searched: [] }),
      readAtMs: Date.now(),
    })),
  )
  receive(event('contact.updated', { id: 'con_1', name: 'New', updated_at: '2026-03-01T09:31:00Z' }))
  receive(event('contact.updated', { id: 'con_1', name: 'Late', updated_at: '2026-03-01T09:29:00Z' }))
  receive(event('contact.updated', { id: 'con_2', name: 'Forged' }, { isVerified: false }))
  receive(event('contact.created', { id: 'con_3', name: 'Third' }))
  await expect.poll(() => contactsOf(ui).news).toBe(1)
  expect(contactsOf(ui).rows.map(({ name }) => name)).toEqual(['New', 'Name 2'])
})

test('figures over a part of the records carry a +, on the board and on Home', async () => {
  const ui = await uiOf('pipelines')
  const items = [{ id: 'deal_1', name: 'Fleet', stage: 'Lead', amount: 1000, owner_id: 'u_1' }]
  const show = (nextCursor: string | undefined) =>
    ui.store.update((state) =>
      withList(state, 'deals', (list) => takePage({ ...list, isStale: true }, { items, nextCursor, searched: [] })),
    )
  const figures = () =>
    homeSections(ui.store.get())
      .flat()
      .flatMap(({ rows }) => rows.flatMap(({ values }) => values))
  show('more')
  expect(screenOf(ui)).toContain('1+ · 1,000+')
  expect(figures().filter((value) => /^\d/.test(value) && !value.includes('+'))).toEqual([])
  show(undefined)
  expect(screenOf(ui)).not.toMatch(/\d\+/)
})

test('the Events screen says that its events are those of all servers', async () => {
  expect(screenOf(await uiOf('events'))).toContain('events of all servers on this machine')
})
