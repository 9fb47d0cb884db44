import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { jobsAt } from './jobs-at.ts'
import { recordsWithJobs } from './records-with-jobs.ts'
import { uiOf } from './ui-of.ts'

const FORCED = { ...NO_KEY, ifMatch: undefined }

const ANN_AND_BOB = [{ name: 'Ann' }, { name: 'Bob' }]

type Screen = Awaited<ReturnType<typeof recordsWithJobs>>

/** The cursor on the row of this name, and the key that deletes it, with its answer. */
async function remove({ ui, overlay, shown, settled }: Screen, name: string): Promise<void> {
  ui.press('g', 'g')
  for (let at = shown('name').indexOf(name); at > 0; at--) ui.press('j')
  ui.press('d')
  expect(overlay()).toMatchObject({ title: expect.stringMatching(/^Send 1 deletion to/), isOnCancel: true })
  ui.press('y')
  await settled()
}

async function names({ all }: Screen, list: 'contacts' | 'deals' = 'contacts'): Promise<readonly unknown[]> {
  return (await all(list)).map(({ name }) => name).toSorted()
}

test('u after a sent deletion names it, shows its reverse plan and creates the record again; the older edit stays', async () => {
  const screen = await recordsWithJobs('contacts', ANN_AND_BOB)
  const { ui, overlay, rows, settled } = screen
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  await remove(screen, 'Bob')
  expect(await names(screen)).toEqual(['Anna'])
  ui.press('u')
  await expect.poll(overlay).toMatchObject({ type: 'confirm', isOnCancel: true, verb: 'Undo' })
  expect(overlay()).toMatchObject({
    title: 'Undo the deletion of Bob (contacts) on test http://crm.test?',
    diff: [expect.objectContaining({ label: 'created', new: 'Bob' })],
    lines: expect.arrayContaining(['They get new ids.']),
  })
  ui.press('esc')
  await settled()
  expect(await names(screen)).toEqual(['Anna'])
  // The second key comes while the first plans.
  ui.press('u', 'u')
  await expect.poll(() => overlay()?.type).toBe('confirm')
  await sleep(100)
  ui.press('y')
  await expect.poll(() => names(screen)).toEqual(['Anna', 'Bob'])
  await settled()
  await expect.poll(() => screen.shown('name').toSorted()).toEqual(['Anna', 'Bob'])
})

test('d y u u: the second u asks about the older change by its name, and sends nothing unasked', async () => {
  const screen = await recordsWithJobs('contacts', ANN_AND_BOB)
  const { ui, overlay, rows, settled } = screen
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  await remove(screen, 'Bob')
  ui.press('u')
  await expect.poll(() => overlay()?.type).toBe('confirm')
  ui.press('y')
  await expect.poll(() => names(screen)).toEqual(['Anna', 'Bob'])
  await settled()
  ui.press('u')
  await expect
    .poll(overlay)
    .toMatchObject({ title: expect.stringContaining('Undo the change of Anna'), isOnCancel: true })
  expect(await names(screen)).toEqual(['Anna', 'Bob'])
  ui.press('y')
  await expect.poll(() => names(screen)).toEqual(['Ann', 'Bob'])
})

test('a note is a barrier that u names and does not pass, also for a move made with >', async () => {
  const deals = [{ name: 'One', stage: 'Lead', pipeline_id: 'sales' }]
  const { ui, said, all, rows, overlay, settled } = await recordsWithJobs('deals', deals)
  ui.store.update((state) => ({
    ...{ ...state, screen: 'pipelines' },
    board: { column: 0, card: 0, stages: [{ name: 'Lead' }, { name: 'Qualified' }] },
  }))
  ui.press('>')
  await expect.poll(async () => (await all('deals'))[0]?.stage).toBe('Qualified')
  await settled()
  ui.press('a', ...'Called', 'enter')
  await expect.poll(said).toContainEqual(expect.stringContaining('Added the note'))
  for (let nth = 0; nth < 3; nth++) ui.press('u')
  await expect.poll(said).toContainEqual('the note to One cannot be taken back, nor can what was changed before it')
  await settled()
  expect(overlay()).toBeUndefined()
  expect((await all('deals'))[0]).toMatchObject({ id: rows[0]?.id, stage: 'Qualified' })
})

test('u shows the reverse of one edit before it sends it, once; ctrl-r does the edit again, after a question, too', async () => {
  const { ui, overlay, all, rows, settled, said } = await recordsWithJobs('contacts', [{ name: 'Ann' }])
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  const nameNow = async () => (await all('contacts'))[0]?.name
  for (const [key, old, next] of [
    ['u', 'Anna', 'Ann'],
    ['ctrl-r', 'Ann', 'Anna'],
    ['u', 'Anna', 'Ann'],
  ] as const) {
    ui.press(key)
    await expect.poll(overlay).toMatchObject({ isOnCancel: true, diff: [expect.objectContaining({ old, new: next })] })
    expect(await nameNow()).toBe(old)
    ui.press('y')
    await expect.poll(nameNow).toBe(next)
    await settled()
  }
  ui.press('u')
  await expect.poll(said).toContainEqual('There is no change of this session to undo')
})

test('the undo of a job is done again as the undo of the undo, and a new change ends that', async () => {
  const screen = await recordsWithJobs('contacts', ANN_AND_BOB)
  const { ui, overlay, all, said, settled } = screen
  const companies = async () => (await all('contacts')).map(({ company }) => company ?? null)
  ui.press('A', 'b', ...'company=New', 'enter', 'y')
  await expect.poll(companies).toEqual(['New', 'New'])
  for (const [key, company] of [
    ['u', null],
    ['ctrl-r', 'New'],
    ['u', null],
  ] as const) {
    await settled()
    ui.press(key)
    await expect.poll(overlay).toMatchObject({ diff: [expect.objectContaining({ count: 2 })] })
    ui.press('y')
    await expect.poll(companies).toEqual([company, company])
  }
  await settled()
  const [row = {}] = await all('contacts')
  await ui.background.writes.update('contacts', row, { phone: '1' }, false)
  ui.press('ctrl-r')
  await expect.poll(said).toContainEqual('Nothing was undone that can be done again')
})

test('u on another screen says where the change was made, and takes it back only when that is confirmed', async () => {
  const { ui, overlay, all, rows } = await recordsWithJobs('contacts', [{ name: 'Ann' }])
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  ui.store.update((state) => ({ ...state, screen: 'deals' }))
  const nameNow = async () => (await all('contacts'))[0]?.name
  ui.press('u')
  await expect.poll(overlay).toMatchObject({
    ...{ type: 'confirm', isOnCancel: true, title: expect.stringContaining('Undo the change of Anna (contacts)') },
    lines: ['It was made on Contacts, not on this screen.'],
  })
  ui.press('enter')
  expect(await nameNow()).toBe('Anna')
  ui.press('u')
  await expect.poll(() => overlay()?.type).toBe('confirm')
  ui.press('y')
  await expect.poll(nameNow).toBe('Ann')
})

test('u while a change is being sent takes nothing back', async () => {
  const { ui, said, overlay, rows } = await recordsWithJobs('contacts', [{ name: 'Ann' }])
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  const sent = Promise.withResolvers<void>()
  const sending = ui.background.underWay.track('the deletion of Bob', () => sent.promise)
  ui.press('u')
  await expect.poll(said).toContainEqual('A change is being sent; press the key after that')
  sent.resolve()
  await sending
  expect(overlay()).toBeUndefined()
})

test('what others changed since is not taken back, and stays the newest change', async () => {
  const { ui, api, overlay, all, rows, said } = await recordsWithJobs('contacts', [{ name: 'Ann' }])
  await ui.background.writes.update('contacts', rows[0] ?? {}, { name: 'Anna' }, false)
  await api.contacts.update(String(rows[0]?.id), { name: 'Theirs' }, FORCED)
  for (let nth = 0; nth < 2; nth++) {
    ui.press('u')
    await expect.poll(() => overlay()?.type).toBe('confirm')
    ui.press('y')
    await expect.poll(() => said().filter((text) => text.startsWith('Not undone: ')).length).toBe(nth + 1)
  }
  expect((await all('contacts'))[0]?.name).toBe('Theirs')
})

test('edits of one record are taken back one after the other, though each undo makes a new version', async () => {
  const { ui, overlay, all, rows, settled } = await recordsWithJobs('contacts', [{ name: 'Ann', company: 'Old' }])
  const { writes } = ui.background
  await writes.update('contacts', rows[0] ?? {}, { company: 'New' }, false)
  await writes.update('contacts', (await all('contacts'))[0] ?? {}, { company: 'Newer' }, false)
  for (const company of ['New', 'Old']) {
    ui.press('u')
    await expect.poll(() => overlay()?.type).toBe('confirm')
    ui.press('y')
    await expect.poll(async () => (await all('contacts'))[0]?.company).toBe(company)
    await settled()
  }
})

test('the undo of a creation deletes the record unless others changed it, and is done again', async () => {
  const screen = await recordsWithJobs('contacts', [])
  const { ui, api, overlay, all, said, settled } = screen
  await ui.background.writes.create('contacts', { name: 'Ann' })
  for (const [key, left] of [
    ['u', []],
    ['ctrl-r', ['Ann']],
  ] as const) {
    ui.press(key)
    await expect.poll(() => overlay()?.type).toBe('confirm')
    ui.press('y')
    await expect.poll(() => names(screen)).toEqual(left)
    await settled()
  }
  const [row] = await all('contacts')
  await api.contacts.update(String(row?.id), { company: 'Theirs' }, FORCED)
  ui.press('u')
  await expect.poll(() => overlay()?.type).toBe('confirm')
  ui.press('y')
  await expect.poll(said).toContainEqual(expect.stringMatching(/^Not undone: /))
  expect(await names(screen)).toEqual(['Ann'])
})

/** Contacts that no server holds: each deletion gets this answer. */
async function deletionAnswered(answer: 'lost' | 204, lacks: JsonObject = {}) {
  const { url } = await startServer((response, { method, path }) => {
    if (method !== 'DELETE') return sendJson(response, 200, shown(path))
    if (answer === 'lost') response.destroy()
    else response.writeHead(answer).end()
  })
  const shown = (path: string) =>
    path.endsWith('/con_1') ? { id: 'con_1', name: 'Bob' } : { data: [], next_cursor: null }
  const { api } = openClient(url)
  const jobs = await jobsAt(url, 'k')
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  ui.store.update((state) => ({ ...state, offered: { ...state.offered, lacks: lacks as object } }))
  const undone: string[] = []
  const older = { type: 'change', what: 'older', name: 'contacts', diff: [] } as const
  ui.background.history.add({
    ...older,
    reverse: async () => {
      undone.push('older')
      return older as never
    },
  })
  await ui.background.sendChanges({ name: 'contacts', changes: [{ row: { id: 'con_1', name: 'Bob' }, patch: null }] })
  return { ui, undone, said: () => ui.store.get().lists.log.rows.map(({ message }) => String(message)) }
}

test('a deletion on a server that creates no contacts says that it is for good, and is a barrier', async () => {
  const { ui, undone, said } = await deletionAnswered(204, { 'create contacts': 'no create' })
  expect(said()).toContain('Deleted Bob, for good')
  ui.press('u')
  await expect.poll(said).toContainEqual(expect.stringMatching(/^the deletion of Bob cannot be taken back/))
  expect([undone, ui.store.get().overlay]).toEqual([[], undefined])
})
