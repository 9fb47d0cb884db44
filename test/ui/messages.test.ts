import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { openKeptChanges } from '../../src/settings/kept-changes.ts'
import { TERMS } from '../../src/ui/background/send-job.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { drawFrame } from './draw-frame.tsx'
import { jobsAt } from './jobs-at.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function screenOf({ store, keymap, boards }: TestUi): string {
  return drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.join('\n')
}

test('the error of a filter is removed from the screen when the next filter works, and stays in the log', async () => {
  const { url } = await startServer((response, { path }) => {
    if (path.includes('Wno')) sendJson(response, 400, { error: { message: 'no stage Wno' } })
    else sendJson(response, 200, { data: [{ id: 'deal_1', name: 'Big', stage: 'Won' }], next_cursor: null })
  })
  const { api } = openClient(url)
  const ui = await uiOf('deals', { openApi: async () => api })
  const filter = (text: string) => ui.press('f', 'ctrl-u', ...text, 'enter')
  filter('stage=Wno')
  await expect.poll(() => ui.store.get().overlay?.type).toBe('prompt')
  expect(screenOf(ui)).toContain('no stage Wno')
  ui.press('esc')
  expect(screenOf(ui)).toContain('no stage Wno')
  filter('stage=Won')
  await expect.poll(() => screenOf(ui)).toContain('Big')
  expect(screenOf(ui)).not.toContain('no stage Wno')
  expect(ui.store.get().lists.log.rows.map(({ message }) => message)).toEqual([expect.stringContaining('no stage Wno')])
})

test('kept changes that were left out are counted on the screen until the log is opened', async () => {
  const env = { HOME: await tempFolder() }
  const server = 'http://crm.test/'
  const before = { id: 'con_1', name: 'Ada', company: 'Old' }
  const gone = { id: 'con_2', name: 'Gone' }
  openKeptChanges(env, server).release([
    { list: 'contacts', id: 'con_1', patch: { company: 'New' }, before },
    { list: 'contacts', id: 'con_2', patch: { company: 'New' }, before: gone },
  ])
  const now = new Map([['con_1', { ...before, company: 'Other' }]])
  const ui = await uiOf('contacts', { changes: openKeptChanges(env, server), findRecords: async () => now })
  await ui.background.kept.restore()
  expect(screenOf(ui)).toContain('2 kept changes left out (! shows which)')
  expect(screenOf(ui)).toContain('Not restored: Gone (con_2) is gone')
  while (ui.background.notices.dismiss()) expect(screenOf(ui)).toContain('2 kept changes left out (! shows which)')
  ui.press('!')
  expect(screenOf(ui)).toContain('Not restored: Ada: company is "Other" now, and was not ')
  ui.press('1', 'enter')
  expect(screenOf(ui)).not.toContain('left out (!')
})

test('a job that is stopped with an answer to every row is finished', async () => {
  const stop = new AbortController()
  const { url } = await startServer((response, { method, path }) => {
    if (method === 'PATCH') stop.abort(new Error('stopped', { cause: 'SIGTERM' }))
    sendJson(
      response,
      200,
      method === 'PATCH' ? { id: 'con_1', name: 'New' } : { id: path.split('/').at(-1), data: [], next_cursor: null },
    )
  })
  const jobs = await jobsAt(url, 'k', stop.signal)
  const make = (ids: readonly string[]) =>
    jobs.make({ kind: 'update', noun: 'contacts', run: ids.join(), of: undefined }, async (builder) => {
      for (const id of ids)
        builder.add({ do: 'update', path: `/v1/contacts/${id}`, id, body: { name: 'New' }, before: { id } })
    })
  const { paths } = await make(['con_1'])
  await jobs.of(paths).run(TERMS, { onStart: () => {}, onPause: () => {}, onEnd: () => {} })
  expect((await jobs.of(paths).state()).state).toBe('stopped')
  const ui = await uiOf('jobs', { openJobs: async () => jobs })
  await ui.background.jobs.look()
  expect(ui.store.get().lists.jobs.rows).toMatchObject([{ state: 'finished', done: 1, rows: 1 }])
  ui.press('R')
  expect(ui.store.get().toasts.at(-1)?.text).toContain('it has nothing left to send')
})

test('edits of one record that two processes kept become one; conflicts are left out, and reported', async () => {
  const env = { HOME: await tempFolder() }
  const server = 'http://crm.test/'
  const before = { id: 'con_1', name: 'Ada', company: 'Old' }
  const keep = (patch: JsonObject) =>
    openKeptChanges(env, server).release([{ list: 'contacts', id: 'con_1', patch, before }])
  keep({ company: 'One', phone: '1' })
  keep({ company: 'Two', email: 'a@b.example' })
  const findRecords = async () => new Map([['con_1', before]])
  const ui = await uiOf('contacts', { changes: openKeptChanges(env, server), findRecords })
  await ui.background.kept.restore()
  const patch = ui.store.get().lists.contacts.staged.get('con_1')?.patch
  expect(patch).toEqual({ company: expect.stringMatching(/^(?:One|Two)$/), phone: '1', email: 'a@b.example' })
  const other = patch?.company === 'One' ? 'Two' : 'One'
  expect(screenOf(ui)).toContain(`Ada: company was edited twice, and is not set to "${other}"`)
})
