import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { editRecord } from '../../src/ui/background/edit-record.ts'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { formIn } from '../../src/ui/overlay.ts'
import { pasteInOverlay } from '../../src/ui/overlay-keys.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { withList } from '../../src/ui/state.ts'
import { NO_KEY, openClient } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { jobsAt } from './jobs-at.ts'
import { type TestUi, uiOf } from './ui-of.ts'

function screenOf({ store, keymap, boards }: TestUi): string {
  return drawFrame(store.get(), { theme: createTheme('none'), keymap, boards }).lines.join('\n')
}

/** Ada of a real service on the screen. */
async function ada() {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text })
  const row = await api.contacts.create({ name: 'Ada', company: 'Old' }, NO_KEY)
  const id = String(row.id)
  const jobs = await jobsAt(url, service.key.text)
  const findRecords = async () => new Map([[id, (await api.contacts.get(id)) ?? {}]])
  const ui = await uiOf('contacts', { openApi: async () => api, openJobs: async () => jobs, findRecords })
  const page = { items: [row], nextCursor: undefined, searched: searchedIn('contacts') }
  ui.store.update((state) => withList(state, 'contacts', (list) => takePage(list, page)))
  return { api, ui, id, row }
}

test('a conflict shows the values of others beside those typed, and overwrites only when it is confirmed', async () => {
  const { api, ui, id } = await ada()
  await api.contacts.update(id, { name: 'Augusta', company: 'Theirs' }, { ...NO_KEY, ifMatch: undefined })
  ui.press('e', 'X', 'ctrl-s')
  await expect.poll(() => screenOf(ui)).toContain('theirs: Augusta · yours: AdaX · before: Ada')
  expect(screenOf(ui)).toContain('theirs: Theirs · yours: unchanged · before: Old')
  expect((await api.contacts.get(id))?.name).toBe('Augusta')
  ui.press('ctrl-s')
  await expect.poll(async () => (await api.contacts.get(id))?.name).toBe('AdaX')
})

const formOf = (ui: TestUi) => formIn(ui.store.get().overlay)

test('typing after a conflict keeps the warning and the values of others, until the form is sent', async () => {
  const { api, ui, id } = await ada()
  await api.contacts.update(id, { name: 'Augusta' }, { ...NO_KEY, ifMatch: undefined })
  ui.press('e', 'X', 'ctrl-s')
  await expect.poll(() => screenOf(ui)).toContain('theirs: Augusta · yours: AdaX · before: Ada')
  ui.press('Y')
  const form = formOf(ui)
  if (form) pasteInOverlay(ui, form, 'Z')
  expect(screenOf(ui)).toContain('Ctrl-S again overwrites that')
  expect(screenOf(ui)).toContain('theirs: Augusta · yours: AdaXYZ · before: Ada')
  ui.press('ctrl-s')
  await expect.poll(async () => (await api.contacts.get(id))?.name).toBe('AdaXYZ')
})

test('an error of a form goes away when the value changes', async () => {
  const { api, ui, id } = await ada()
  ui.press('e')
  const opened = formOf(ui)
  if (opened) pasteInOverlay(ui, opened, 'x'.repeat(70_000))
  ui.press('ctrl-s')
  await expect.poll(() => formOf(ui)?.problem).toBeDefined()
  ui.press('backspace')
  expect(formOf(ui)).toMatchObject({ problem: undefined })
  expect(formOf(ui)?.fields.every(({ problem }) => problem === undefined)).toBe(true)
  expect((await api.contacts.get(id))?.name).toBe('Ada')
})

test('a record that was deleted elsewhere is told in the list, after an edit and after a send, until a reload', async () => {
  for (const how of ['edit', 'send'] as const) {
    const { api, ui, id, row } = await ada()
    await api.contacts.delete(id, { ifMatch: undefined })
    if (how === 'edit') ui.press('e', 'X', 'ctrl-s')
    else {
      await ui.background.sendChanges({ name: 'contacts', changes: [{ row, patch: { company: 'New' } }] })
    }
    await expect.poll(() => [...ui.store.get().lists.contacts.gone]).toEqual([id])
    ui.store.update((state) => ({ ...state, overlay: undefined }))
    expect(screenOf(ui)).toContain('gone: Ada')
    await ui.background.lists.reload('contacts')
    expect(screenOf(ui)).not.toContain('gone: Ada')
  }
})

test('Esc in a form with typed text asks, and closes a form without', async () => {
  const { ui } = await ada()
  ui.press('e', 'esc')
  expect(ui.store.get().overlay).toBeUndefined()
  ui.press('e', 'X', 'esc')
  expect(screenOf(ui)).toContain('Edit Ada: not saved')
  ui.press('enter')
  expect(screenOf(ui)).toContain('AdaX')
  ui.press('esc', 'j', 'enter')
  expect(ui.store.get().overlay).toBeUndefined()
})

/** An editor that replaces the text by those given, one after the other, and keeps what it was shown. */
async function scriptedEditor(...texts: readonly string[]) {
  const folder = await tempFolder()
  for (const [at, text] of texts.entries()) writeFileSync(join(folder, String(at + 1)), text)
  const script = join(folder, 'editor.sh')
  const lines = [
    '#!/bin/sh',
    `cd '${folder}'`,
    'n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; cp "$1" shown$n',
    'test -f $n && cp $n "$1" || true',
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  chmodSync(script, 0o700)
  return { env: { PATH: process.env.PATH, EDITOR: script }, folder }
}

test('a text with a mistake is opened again as it was typed, with the error as a comment', async () => {
  const { env, folder } = await scriptedEditor('name: [Grace', 'name: Grace')
  const isShown = () => true
  const { patch, forget } = await editRecord({ name: 'Ada' }, { env, isShown, draft: undefined })
  await forget()
  expect(patch).toEqual({ name: 'Grace' })
  expect(readFileSync(join(folder, 'shown2'), 'utf8')).toMatch(/^# crm: .+\nname: \[Grace/)
})

test('a text with a mistake that is closed unchanged is given up, and its file named', async () => {
  const { env } = await scriptedEditor('name: [Grace')
  const edited = editRecord({ name: 'Ada' }, { env, isShown: () => true, draft: undefined })
  await expect(edited).rejects.toMatchObject({ details: { hint: expect.stringContaining('record.yaml') } })
})

test('a number that a double cannot hold is shown in the editor with its digits, and not changed with another member', async () => {
  const record = parseExactJson('{"name":"Ada","big":12345678901234567890,"zip":"0049","lists":[1e400]}') as CrmRecord
  const { env, folder } = await scriptedEditor('name: Bea\nbig: 12345678901234567890\nzip: 0049\nlists: [1e400]\n')
  const { patch, forget } = await editRecord(record, { env, isShown: () => true, draft: undefined })
  await forget()
  expect(readFileSync(join(folder, 'shown1'), 'utf8')).toBe(
    'name: Ada\nbig: 12345678901234567890\nzip: "0049"\nlists:\n  - 1e400\n',
  )
  expect(patch).toEqual({ name: 'Bea' })
})
