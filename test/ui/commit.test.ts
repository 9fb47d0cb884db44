import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { stage } from '../../src/ui/background/staging.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { ALL, allPages, NO_KEY, openClient } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { contactsWithJobs } from './contacts-with-jobs.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts, listOf, shownAt } from './rows.ts'
import { uiOf } from './ui-of.ts'

test('an edit of a deal that the server rejects stays staged, and the others are saved', async () => {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const one = await api.deals.create({ name: 'One', stage: 'Lead' }, NO_KEY)
  const two = await api.deals.create({ name: 'Two', stage: 'Lead' }, NO_KEY)
  const { store, background } = await uiOf('deals', { openApi: async () => api })
  store.update((state) =>
    withList(state, 'deals', (list) => {
      const loaded = takePage(list, { items: [one, two], nextCursor: undefined, searched: searchedIn('deals') })
      return stage(stage(loaded, [one], ['stage', 'Nowhere']), [two], ['stage', 'Won'])
    }),
  )
  await background.commit('deals')
  expect([...store.get().lists.deals.staged.keys()]).toEqual([one.id])
  expect(store.get().lists.deals.rows.map(({ stage: name }) => name)).toEqual(['Lead', 'Won'])
  expect(store.get().lists.log.rows.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('One not saved: '),
  )
})

test('u takes back all deals of one send after a question, and a second u only those that others changed', async () => {
  const service = await serveForTest()
  const { api } = openClient(new URL(service.url), { key: service.key.text })
  const deals: CrmRecord[] = []
  for (const name of ['One', 'Two', 'Three']) deals.push(await api.deals.create({ name, stage: 'Lead' }, NO_KEY))
  const ui = await uiOf('deals', { openApi: async () => api })
  ui.store.update((state) =>
    withList(state, 'deals', (list) => {
      const loaded = takePage(list, { items: deals, nextCursor: undefined, searched: searchedIn('deals') })
      return stage(loaded, deals, ['stage', 'Won'])
    }),
  )
  await ui.background.commit('deals')
  const others = deals[1] ?? {}
  await api.deals.update(String(others.id), { name: 'Theirs' }, { ...NO_KEY, ifMatch: undefined })
  const stages = () => ui.store.get().lists.deals.rows.map((row) => row.stage)
  expect(stages()).toEqual(['Won', 'Won', 'Won'])
  ui.press('u')
  await expect
    .poll(() => ui.store.get().overlay)
    .toMatchObject({ title: expect.stringMatching(/^Undo 3 updates of deals/) })
  expect(stages()).toEqual(['Won', 'Won', 'Won'])
  ui.press('y')
  await expect.poll(stages).toEqual(['Lead', 'Won', 'Lead'])
  const messages = () => ui.store.get().lists.log.rows.map(({ message }) => message)
  await expect.poll(messages).toContainEqual(expect.stringContaining('2 undone, 1 not'))
  ui.press('u')
  await expect
    .poll(() => ui.store.get().overlay)
    .toMatchObject({ title: expect.stringMatching(/^Undo 1 update of deals/) })
})

test('deals after a stopped one are not sent, and stay staged', async () => {
  const stop = new AbortController()
  const { url, seen } = await startServer(() => {})
  const { api } = openClient(url, { signal: stop.signal })
  const { store, background } = await uiOf('deals', { openApi: async () => api })
  const rows = ['One', 'Two'].map((name) => ({ id: `deal_${name}`, name, stage: 'Lead' }))
  store.update((state) =>
    withList(state, 'deals', (list) => {
      const loaded = takePage(list, { items: rows, nextCursor: undefined, searched: searchedIn('deals') })
      return stage(loaded, rows, ['stage', 'Won'])
    }),
  )
  const lines: string[] = []
  background.notices.leaveScreen((line) => lines.push(line))
  stop.abort(new Error('stopped'))
  await background.commit('deals')
  expect(seen).toEqual([])
  expect(lines).toEqual(['One not saved: stopped before it was sent', '0 saved, 2 not'])
  expect(store.get().lists.deals.staged.size).toBe(2)
})

test('an edit of a contact that was changed since stays staged, beside the value of others, and the next plan is made of that', async () => {
  const { api, ui, rows } = await contactsAt(['Ada'])
  await api.contacts.update(String(rows[0]?.id), { company: 'Theirs' }, { ...NO_KEY, ifMatch: undefined })
  await ui.background.commit('contacts')
  expect((await allPages(api.contacts.list(ALL)))[0]?.items).toMatchObject([{ company: 'Theirs' }])
  const { staged, rows: shown } = ui.store.get().lists.contacts
  expect(staged.size).toBe(1)
  expect(shown).toMatchObject([{ company: 'Theirs' }])
  expect(ui.store.get().toasts.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Ada: company "Theirs" there, "New" here'),
  )
  ui.press('w')
  expect(ui.store.get().overlay).toMatchObject({ diff: [expect.objectContaining({ old: 'Theirs', new: 'New' })] })
  ui.press('y')
  await expect.poll(() => ui.store.get().lists.contacts.staged.size).toBe(0)
  expect((await allPages(api.contacts.list(ALL)))[0]?.items).toMatchObject([{ company: 'New' }])
})

test('an edit is not undone when its record was changed since', async () => {
  const { api, ui, rows } = await contactsAt(['Ada'])
  await ui.background.writes.update('contacts', rows[0] ?? {}, { company: 'New' }, false)
  await api.contacts.update(String(rows[0]?.id), { company: 'Theirs' }, { ...NO_KEY, ifMatch: undefined })
  const last = ui.background.history.last()
  if (last?.type !== 'change') return expect.fail('there is nothing to undo')
  await expect(last.undo()).rejects.toMatchObject({ code: 'precondition_failed' })
})

test('an edit is undone when its record was changed and changed back since', async () => {
  const { api, ui, rows } = await contactsAt(['Ada'])
  const { history, writes } = ui.background
  await writes.update('contacts', rows[0] ?? {}, { company: 'New' }, false)
  const [row = {}] = ui.store.get().lists.contacts.rows
  await writes.update('contacts', row, { company: 'Newer' }, false)
  for (const company of ['New', rows[0]?.company]) {
    const last = history.last()
    if (last?.type !== 'change') return expect.fail('there is nothing to undo')
    await last.undo()
    expect((await allPages(api.contacts.list(ALL)))[0]?.items[0]?.company).toBe(company)
  }
})

test('edits that are being sent are not sent a second time', async () => {
  const { ui } = await contactsAt(['Ada'])
  const sent = ui.background.commit('contacts')
  await ui.background.commit('contacts')
  expect(ui.store.get().toasts.map(({ text }) => text)).toContain(
    'Edits of contacts are being sent; press w again after that',
  )
  await sent
  expect((await ui.jobs()).all()).toHaveLength(1)
})

test('edits in a stopped job are no longer staged', async () => {
  const { url } = await startServer((response, { method, path }) => {
    if (method !== 'PATCH') return sendJson(response, 200, shownAt(path))
    if (path.endsWith('con_0')) return sendJson(response, 200, { id: 'con_0', company: 'New' })
    sendJson(response, 401, { detail: 'revoked' })
  })
  const { api } = openClient(url)
  const jobs = await jobsAt(url, 'k')
  const { store, background } = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  store.update((state) =>
    withList(state, 'contacts', () => stage(listOf(contacts(2)), contacts(2), ['company', 'New'])),
  )
  await background.commit('contacts')
  expect(store.get().lists.contacts.staged.size).toBe(0)
  expect(store.get().lists.log.rows.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^1 saved, 1 left to job_/),
  )
})

/** Contacts of a real service, each edited on the screen. */
async function contactsAt(names: readonly string[]) {
  const { api, jobs, rows, ui } = await contactsWithJobs(names)
  ui.store.update((state) => withList(state, 'contacts', () => stage(listOf(rows), rows, ['company', 'New'])))
  return { api, rows, ui: { ...ui, jobs: async () => jobs } }
}
