import { expect, test } from 'vitest'
import { CHANGING } from '../../src/ui/actions/changing.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { type SendProgress, withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { drawFrame } from './draw-frame.tsx'
import { jobsAt } from './jobs-at.ts'
import { contacts, listOf, shownAt } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const PROGRESS: SendProgress = {
  ...{ total: 56_000, ended: 18_480, failed: 3, perSecond: 163, pausedBy: undefined },
  ...{ jobId: 'job_psve', isStopping: false },
}

function linesOf({ store, keymap, boards }: TestUi, columns = 80): readonly string[] {
  const state = { ...store.get(), columns, rows: 24 }
  return drawFrame(state, { theme: createTheme('none'), keymap, boards }).lines
}

async function sendingUi(progress: Partial<SendProgress> = {}) {
  const ui = await uiOf('contacts')
  const work = { id: 1, what: '56000 updates of contacts', progress: { ...PROGRESS, ...progress } }
  ui.store.update((state) => ({ ...state, underWay: [work] }))
  return ui
}

test('a send has a bar with share, counts, failures, rate and time left, and states how to stop it and how it goes on', async () => {
  const lines = linesOf(await sendingUi())
  expect(lines).toHaveLength(24)
  expect(lines.at(-4)).toMatch(/^ █+.?░+ 33 % · 18,480 of 56,000 · 3 failed · 163\/s · 3 min 51 s left$/)
  expect(lines.at(-3)).toContain('X stops; crm jobs resume job_psve goes on')
  expect(lines.at(-1)).toContain('X stop')
})

test('a paused send states its reason in place of a rate, and a stopping one what it waits for', async () => {
  expect(linesOf(await sendingUi({ pausedBy: 'rate limit' })).at(-4)).toContain('3 failed · waiting: rate limit')
  expect(linesOf(await sendingUi({ isStopping: true })).at(-3)).toContain('Stopping after the requests that were sent')
})

test('saved rows are shown in batches, so that the time of a send grows with its rows and not with their square', async () => {
  const count = 400
  const { url } = await startServer((response, { method, path }) => {
    if (method !== 'PATCH') return sendJson(response, 200, shownAt(path))
    sendJson(response, 200, { id: path.split('/').at(-1), company: 'New' })
  })
  const jobs = await jobsAt(url, 'k')
  const ui = await uiOf('contacts', { openApi: async () => openClient(url).api, openJobs: async () => jobs })
  const rows = contacts(count)
  ui.store.update((state) => withList(state, 'contacts', () => listOf(rows)))
  const changes = rows.map((row) => ({ row, patch: { company: 'New' } }))
  const copies = new Set<unknown>()
  const unsubscribe = ui.store.subscribe(() => copies.add(ui.store.get().lists.contacts.rows))
  await ui.background.sendChanges({ name: 'contacts', changes })
  unsubscribe()
  expect(ui.store.get().lists.contacts.rows.every(({ company }) => company === 'New')).toBe(true)
  expect(copies.size).toBeLessThan(count / 8)
})

test('the stop key ends a send after the requests that were sent; the rest is in the job, with its command', async () => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const { url, seen } = await startServer(async (response, { method, path }) => {
    if (method !== 'PATCH') return sendJson(response, 200, shownAt(path))
    await isLetGo
    sendJson(response, 200, { id: path.split('/').at(-1), company: 'New' })
  })
  const patches = () => seen.filter(({ method }) => method === 'PATCH').length
  const jobs = await jobsAt(url, 'k')
  const ui = await uiOf('contacts', { openApi: async () => openClient(url).api, openJobs: async () => jobs })
  ui.press('X')
  expect(ui.store.get().toasts.at(-1)?.text).toContain('no rows are being sent')
  const rows = contacts(200)
  ui.store.update((state) => withList(state, 'contacts', () => listOf(rows)))
  const changes = rows.map((row) => ({ row, patch: { company: 'New' } }))
  const sent = ui.background.sendChanges({ name: 'contacts', changes })
  await expect.poll(patches).toBeGreaterThan(0)
  await expect.poll(() => ui.store.get().underWay[0]?.progress?.total).toBe(200)
  ui.press('X')
  expect(ui.store.get().underWay[0]?.progress?.isStopping).toBe(true)
  const before = patches()
  letGo()
  await sent
  expect(patches()).toBe(before)
  const [paths] = jobs.all()
  expect(ui.store.get().toasts.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(
      new RegExp(`^${before} saved, ${200 - before} left to ${paths?.id}; crm jobs resume ${paths?.id} goes on`),
    ),
  )
})

test('a key does nothing while the terminal is too small to show what it would act on', async () => {
  const ui = await uiOf('contacts')
  ui.store.update((state) => ({ ...withList(state, 'contacts', () => listOf(contacts(3))), columns: 40, rows: 10 }))
  for (const { keys } of CHANGING) for (const key of keys) ui.press(key)
  ui.press('d', 'y')
  expect(ui.store.get()).toMatchObject({ overlay: undefined, underWay: [] })
  ui.store.update((state) => ({ ...state, columns: 120, rows: 40 }))
  ui.press('d')
  expect(ui.store.get().overlay).toMatchObject({ type: 'confirm' })
})
