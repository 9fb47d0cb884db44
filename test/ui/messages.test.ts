import { expect, test } from 'vitest'
import { TERMS } from '../../src/ui/background/under-way.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
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
  ui.press('p')
  expect(ui.store.get().toasts.at(-1)?.text).toContain('it has nothing left to send')
})
