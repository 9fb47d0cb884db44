import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { type KeptChanges, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { stage } from '../../src/ui/background/staging.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import type { Choice } from '../../src/ui/overlay.ts'
import { searchedIn } from '../../src/ui/screens.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts, shownAt } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const [SEND, KEEP, DISCARD] = [
  'Send, then quit',
  'Keep what is not sent for the next start, and quit',
  'Discard what is not sent, and quit',
]

function edit({ store }: TestUi, rows: ReturnType<typeof contacts>): void {
  const page = { items: rows, nextCursor: undefined, searched: searchedIn('contacts') }
  store.update((state) => withList(state, 'contacts', (list) => stage(takePage(list, page), rows, ['company', 'New'])))
}

function asked({ store }: TestUi): Choice {
  const { overlay } = store.get()
  if (overlay?.type !== 'choice') return expect.fail(`no question but ${overlay?.type}`)
  return overlay
}

function answer(ui: TestUi, option: string): void {
  const { onChoose } = asked(ui)
  ui.store.update((state) => ({ ...state, overlay: undefined }))
  onChoose(option)
}

async function keptAt(server: string): Promise<{ changes: KeptChanges; again: () => KeptChanges }> {
  const env = { HOME: await tempFolder() }
  return { changes: openKeptChanges(env, server), again: () => openKeptChanges(env, server) }
}

test('with nothing pending q closes at once', async () => {
  const ui = await uiOf('contacts')
  ui.press('q')
  expect(ui.quits).toEqual(['keep'])
})

for (const key of ['q', 'ctrl-c']) {
  test(`${key} with edits asks first, and stays open unless another answer is chosen`, async () => {
    const ui = await uiOf('contacts')
    edit(ui, contacts(2))
    ui.press(key)
    expect(asked(ui)).toMatchObject({ title: 'Quit? Not sent: 2 updates', options: [SEND, KEEP, DISCARD, 'Stay'] })
    ui.press('enter')
    expect(ui.store.get().overlay).toBeUndefined()
    ui.press(key, 'esc')
    expect(ui.quits).toEqual([])
    expect(ui.store.get().lists.contacts.staged.size).toBe(2)
  })
}

test('kept changes are on disk before the screens close, and are staged again when their records are unchanged', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  const ui = await uiOf('contacts', { changes })
  const [one, two, , same] = contacts(4)
  edit(ui, contacts(4))
  ui.press('q')
  answer(ui, KEEP)
  expect(ui.quits).toEqual(['keep'])
  const other = await uiOf('contacts', { changes: again() })
  void other.background.kept.restore()
  await expect
    .poll(() => other.store.get().toasts.map(({ text }) => text))
    .toEqual([`Kept changes are held by another crm (process ${process.pid}), and are not shown here`])
  other.background.kept.release()
  ui.background.kept.release()
  const now = new Map([
    ['con_0', { ...one }],
    ['con_1', { ...two, company: 'Other' }],
    ['con_3', { ...same, company: 'New' }],
  ])
  const next = await uiOf('contacts', { changes: again(), findRecords: async () => now })
  await next.background.kept.restore()
  expect([...next.store.get().lists.contacts.staged]).toEqual([['con_0', { row: one, patch: { company: 'New' } }]])
  const messages = next.store.get().lists.log.rows.map(({ message }) => message)
  expect(messages).toEqual(
    expect.arrayContaining([
      'Not restored: Name 1: company is "Other" now, and was not set to "New"',
      'Not restored: Name 2 (con_2) is gone',
    ]),
  )
  next.press('q')
  answer(next, DISCARD)
  expect(await again().take()).toEqual({ changes: [], forms: [], heldBy: [] })
})

test('changes of another server are not restored', async () => {
  const env = { HOME: await tempFolder() }
  openKeptChanges(env, 'http://one.test/').release([{ list: 'contacts', id: 'con_1', patch: { a: 1 }, before: {} }])
  expect((await openKeptChanges(env, 'http://other.test/').take()).changes).toEqual([])
  expect((await openKeptChanges(env, 'http://one.test/').take()).changes).toHaveLength(1)
})

test('kept changes are restored when the server answers that was away at the start', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  const [row = {}] = contacts(1)
  changes.release([{ list: 'contacts', id: 'con_0', patch: { company: 'New' }, before: row }], [])
  let isAway = true
  const findRecords = async () => {
    if (isAway) throw new CrmError('unreachable', 'no answer', { hint: 'try again' })
    return new Map([['con_0', row]])
  }
  const ui = await uiOf('contacts', { changes: again(), findRecords })
  await ui.background.kept.restore()
  expect(ui.store.get().lists.contacts.staged.size).toBe(0)
  isAway = false
  await expect
    .poll(() => ui.store.get().lists.contacts.staged.get('con_0')?.patch, { timeout: 4_000 })
    .toEqual({
      company: 'New',
    })
  ui.background.kept.discard()
})

test('kept changes whose records cannot be read stay kept', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  changes.release([{ list: 'contacts', id: 'con_1', patch: { company: 'New' }, before: { id: 'con_1' } }])
  const ui = await uiOf('contacts', { changes: again() })
  await ui.background.kept.restore()
  expect(ui.store.get().toasts.at(-1)?.text).toContain(
    'Kept changes could not be checked, and stay kept: no server of the test',
  )
  ui.press('q')
  expect(ui.quits).toEqual(['keep'])
  ui.background.kept.release()
  expect((await again().take()).changes).toHaveLength(1)
})

test('a deletion in its grace period is not sent during the question; once kept it waits for the commit', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  const ui = await uiOf('contacts', { changes })
  const [row] = contacts(1)
  if (!row) return
  ui.background.deletions.add('contacts', [row])
  ui.press('q')
  expect(asked(ui).title).toBe('Quit? Not sent: 1 deletion')
  answer(ui, KEEP)
  ui.background.kept.release()
  const next = await uiOf('contacts', { changes: again(), findRecords: async () => new Map([['con_0', row]]) })
  await next.background.kept.restore()
  expect([...next.store.get().lists.contacts.held]).toEqual(['con_0'])
  next.press('u')
  expect(next.background.kept.pending()).toEqual([])
})

test('send sends all and closes; when the server rejects one, crm stays open and reports it', async () => {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text })
  const jobs = await jobsAt(url, service.key.text)
  const row = await api.contacts.create({ name: 'Ada' }, NO_KEY)
  const gone = await api.contacts.create({ name: 'Gone' }, NO_KEY)
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  edit(ui, [row])
  ui.background.deletions.add('contacts', [gone])
  ui.press('q')
  answer(ui, SEND)
  await expect.poll(() => ui.quits).toEqual(['keep'])
  expect((await service.send('GET', '/v1/contacts')).json.data).toMatchObject([{ name: 'Ada', company: 'New' }])
  const other = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  edit(other, [gone])
  other.press('q')
  answer(other, SEND)
  await expect
    .poll(() => other.store.get().toasts.map(({ text }) => text))
    .toContain('Not everything was sent, so crm stays open; ! shows why')
  expect(other.quits).toEqual([])
  expect(other.store.get().lists.contacts.staged.size).toBe(1)
})

test('while edits are being sent q asks and keys work, and a revoked answer sends no more', async () => {
  const held: (() => void)[] = []
  const { url } = await startServer((response, { method, path }) => {
    if (method === 'PATCH') held.push(() => sendJson(response, 200, { id: 'con_0', company: 'New' }))
    else sendJson(response, 200, shownAt(path))
  })
  const { api } = openClient(url)
  const jobs = await jobsAt(url, 'k')
  const { changes } = await keptAt(url.href)
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs, changes })
  const [one, two] = contacts(2) as [object, object] as [never, never]
  edit(ui, [one])
  const sent = ui.background.commit('contacts')
  await expect.poll(() => held.length).toBe(1)
  ui.press('q')
  expect(asked(ui)).toMatchObject({
    title: 'Quit? sending 1 update of contacts …',
    options: expect.arrayContaining(['Stay']),
  })
  ui.press('esc', '?')
  expect(ui.store.get().overlay).toMatchObject({ type: 'help' })
  ui.press('esc')
  ui.background.deletions.add('contacts', [two])
  ui.press('q')
  answer(ui, 'Send all, then quit')
  ui.press('q')
  answer(ui, 'Stop sending, keep what is not sent for the next start, and quit')
  expect(ui.quits).toEqual(['keep'])
  held[0]?.()
  await sent
  await ui.background.underWay.settled()
  expect(ui.background.kept.pending().map(({ id, patch }) => [id, patch])).toEqual([['con_1', null]])
})

test('Ctrl-C in the question keeps unsent changes, and sends nothing', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  const ui = await uiOf('contacts', { changes })
  edit(ui, contacts(1))
  ui.press('ctrl-c', 'ctrl-c')
  expect(ui.quits).toEqual(['keep'])
  ui.background.kept.release()
  expect((await again().take()).changes).toMatchObject([{ id: 'con_0', patch: { company: 'New' } }])
})

test('on a protected profile the count must be typed before all is sent', async () => {
  const ui = await uiOf('contacts')
  ui.store.update((state) => ({ ...state, place: { ...state.place, isProtected: true } }))
  edit(ui, contacts(2))
  ui.press('q')
  answer(ui, SEND)
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm', expected: '2' })
  expect(ui.store.get().leaving).toBeUndefined()
})

test('crm stays open when the changes cannot be written', async () => {
  const folder = await tempFolder()
  const changes = openKeptChanges({ CRM_STATE_HOME: '/proc/nowhere', HOME: folder }, 'http://crm.test/')
  const ui = await uiOf('contacts', { changes })
  edit(ui, contacts(1))
  ui.press('q')
  answer(ui, KEEP)
  expect(ui.quits).toEqual([])
  expect(ui.store.get().toasts.at(-1)?.text).toContain('Not kept, so crm stays open: ')
})

test('a kept deletion of a record that was changed since is left out, and reported', async () => {
  const { changes, again } = await keptAt('http://crm.test/')
  const before = { id: 'con_1', name: 'Ada', version: 1 }
  changes.release([{ list: 'contacts', id: 'con_1', patch: null, before }])
  const now = new Map([['con_1', { ...before, version: 2 }]])
  const ui = await uiOf('contacts', { changes: again(), findRecords: async () => now })
  await ui.background.kept.restore()
  expect(ui.background.deletions.waiting('contacts')).toEqual([])
  const messages = ui.store.get().lists.log.rows.map(({ message }) => message)
  expect(messages).toContain('Not restored: Ada was changed since, and is not deleted')
})
