import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openKeptChanges } from '../../src/settings/kept-changes.ts'
import type { Choice } from '../../src/ui/overlay.ts'
import { withList } from '../../src/ui/state.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { jobsAt } from './jobs-at.ts'
import { contacts, listOf, shownAt } from './rows.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function asked({ store }: TestUi): Choice {
  const { overlay } = store.get()
  return overlay?.type === 'choice' ? overlay : expect.fail(`no question but ${overlay?.type}`)
}

function answer(ui: TestUi, option: string): void {
  const { onChoose, options } = asked(ui)
  expect(options).toContain(option)
  ui.store.update((state) => ({ ...state, overlay: undefined }))
  onChoose(option)
}

test('with nothing pending q closes at once', async () => {
  const ui = await uiOf('contacts')
  ui.press('q')
  expect(ui.quits).toEqual(['keep'])
})

test('while a job is sent q asks and keys work, and a revoked answer does not quit', async () => {
  const held: (() => void)[] = []
  const { url } = await startServer((response, { method, path }) => {
    if (method === 'PATCH') held.push(() => sendJson(response, 200, { id: 'con_0', company: 'New' }))
    else sendJson(response, 200, shownAt(path))
  })
  const { api } = openClient(url)
  const jobs = await jobsAt(url, 'k')
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs })
  ui.store.update((state) => withList(state, 'contacts', () => listOf(contacts(1))))
  ui.press('b', ...'company=New', 'enter', 'y')
  await expect.poll(() => held.length).toBe(1)
  ui.press('q')
  expect(asked(ui)).toMatchObject({
    title: 'Quit? sending 1 update of contacts …',
    options: ['Wait until it is sent, then quit', 'Stop sending, and quit; crm prints how to resume', 'Stay'],
  })
  ui.press('esc', '?')
  expect(ui.store.get().overlay).toMatchObject({ type: 'help' })
  ui.press('esc', 'q')
  answer(ui, 'Wait until it is sent, then quit')
  ui.press('q')
  answer(ui, 'Stay')
  held[0]?.()
  await ui.background.underWay.settled()
  await nextTurn()
  expect(ui.quits).toEqual([])
  ui.press('q')
  expect(ui.quits).toEqual(['keep'])
})

test('with a form and a request both are told, and the form is kept on disk before the screens close', async () => {
  const env = { HOME: await tempFolder() }
  const ui = await uiOf('contacts', { changes: openKeptChanges(env, 'http://crm.test/') })
  void ui.background.underWay.track('the change of con_1', () => new Promise<void>(() => {}))
  ui.press('n', 'A', 'ctrl-c')
  expect(asked(ui).title).toBe('Quit? Not saved: 1 form; sending the change of con_1 …')
  answer(ui, 'Stop sending, keep the form for the next start, and quit')
  expect(ui.quits).toEqual(['keep'])
})

test('crm stays open when the form cannot be written', async () => {
  const folder = await tempFolder()
  const changes = openKeptChanges({ CRM_STATE_HOME: '/proc/nowhere', HOME: folder }, 'http://crm.test/')
  const ui = await uiOf('contacts', { changes })
  ui.press('n', 'A', 'ctrl-c', 'ctrl-c')
  expect(ui.quits).toEqual([])
  expect(ui.store.get().overlay?.type).toBe('form')
  expect(ui.store.get().toasts.at(-1)?.text).toContain('Not kept, so crm stays open: ')
})
