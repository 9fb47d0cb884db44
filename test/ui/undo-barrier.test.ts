import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { type ServerList, searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function load(ui: TestUi, name: ServerList, items: readonly CrmRecord[]): void {
  ui.store.update((state) =>
    withList(state, name, (list) => takePage(list, { items, nextCursor: undefined, searched: searchedIn(name) })),
  )
}

async function started(screen: 'contacts' | 'deals') {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const ui = await uiOf(screen, { openApi: async () => api })
  const said = () => ui.store.get().lists.log.rows.map(({ message }) => String(message))
  return { api, ui, said }
}

test('u after a sent deletion names it, and leaves the older change of another record', async () => {
  const { api, ui, said } = await started('contacts')
  const changed = await api.contacts.create({ name: 'Ann' }, NO_KEY)
  const deleted = await api.contacts.create({ name: 'Bob' }, NO_KEY)
  load(ui, 'contacts', [changed, deleted])
  await ui.background.writes.update('contacts', changed, { name: 'Anna' }, false)
  ui.background.deletions.add('contacts', [deleted])
  await ui.background.deletions.flush()
  for (let nth = 0; nth < 3; nth++) ui.press('u')
  await expect.poll(said).toContainEqual('the deletion of Bob cannot be taken back, nor can what was changed before it')
  await ui.background.underWay.settled()
  expect(await api.contacts.get(String(changed.id))).toMatchObject({ name: 'Anna' })
  // What is changed after it is taken back as before.
  await ui.background.writes.update(
    'contacts',
    (await api.contacts.get(String(changed.id))) ?? {},
    { name: 'Anne' },
    false,
  )
  ui.press('u')
  await expect.poll(async () => (await api.contacts.get(String(changed.id)))?.name).toBe('Anna')
})

test('u after a note names it, and leaves the older change of the deal', async () => {
  const { api, ui, said } = await started('deals')
  const deal = await api.deals.create({ name: 'One', stage: 'Lead' }, NO_KEY)
  load(ui, 'deals', [deal])
  await ui.background.writes.update('deals', deal, { stage: 'Won' }, false)
  await ui.background.writes.addNote(deal, 'Called')
  ui.press('u')
  await expect.poll(said).toContainEqual('the note to One cannot be taken back, nor can what was changed before it')
  await ui.background.underWay.settled()
  expect(await api.deals.get(String(deal.id))).toMatchObject({ stage: 'Won' })
})

test('u on another screen asks before it takes a change back', async () => {
  const { api, ui } = await started('contacts')
  const contact = await api.contacts.create({ name: 'Ann' }, NO_KEY)
  load(ui, 'contacts', [contact])
  await ui.background.writes.update('contacts', contact, { name: 'Anna' }, false)
  ui.store.update((state) => ({ ...state, screen: 'deals' }))
  const nameNow = async () => (await api.contacts.get(String(contact.id)))?.name
  ui.press('u')
  await expect.poll(() => ui.store.get().overlay).toMatchObject({ type: 'confirm', isOnCancel: true })
  expect(ui.store.get().overlay).toMatchObject({ title: expect.stringContaining('Undo the change of Anna (contacts)') })
  ui.press('esc')
  expect(await nameNow()).toBe('Anna')
  ui.press('u')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('confirm')
  ui.press('y')
  await expect.poll(nameNow).toBe('Ann')
})

test('u while a change is being sent takes nothing back', async () => {
  const { api, ui, said } = await started('contacts')
  const contact = await api.contacts.create({ name: 'Ann' }, NO_KEY)
  load(ui, 'contacts', [contact])
  await ui.background.writes.update('contacts', contact, { name: 'Anna' }, false)
  const sent = Promise.withResolvers<void>()
  const sending = ui.background.underWay.track('the deletion of Bob', () => sent.promise)
  ui.press('u')
  await expect.poll(said).toContainEqual('A change is being sent; press u after that')
  sent.resolve()
  await sending
  expect(await api.contacts.get(String(contact.id))).toMatchObject({ name: 'Anna' })
})

test('a deletion that may have been done is a barrier, too', async () => {
  const { url } = await startServer((response, { method }) =>
    method === 'DELETE'
      ? response.destroy()
      : sendJson(response, 200, { data: [], next_cursor: null, has_more: false }),
  )
  const { api } = openClient(url)
  const ui = await uiOf('contacts', { openApi: async () => api })
  const contact = { id: 'con_1', name: 'Bob' }
  load(ui, 'contacts', [contact])
  const undone: string[] = []
  ui.background.history.add({
    type: 'change',
    what: 'older',
    name: 'contacts',
    diff: [],
    undo: async () => void undone.push('older'),
  })
  ui.background.deletions.add('contacts', [contact])
  await ui.background.deletions.flush()
  ui.press('u')
  await ui.background.underWay.settled()
  expect(undone).toEqual([])
})
