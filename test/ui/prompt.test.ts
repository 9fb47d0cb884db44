import { expect, test } from 'vitest'
import { promptSheet } from '../../src/ui/components/overlay.tsx'
import { createTheme } from '../../src/ui/look/theme.ts'
import type { Prompt } from '../../src/ui/overlay.ts'
import { pressInOverlay } from '../../src/ui/overlay-keys.ts'
import { inputText, textInput } from '../../src/ui/text/text-input.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { uiOf } from './ui-of.ts'

test('a rejected text is kept, with the reason below the line, until it is changed', async () => {
  const taken: string[] = []
  const prompt: Prompt = {
    type: 'prompt',
    label: 'Deals where:',
    input: textInput('Won'),
    enter: () => 'ends',
    refusal: (text) => (text.includes('=') ? undefined : `${text} is not a filter`),
    onSubmit: (text) => taken.push(text),
  }
  const ui = await uiOf('deals')
  const press = (chord: string, text?: string) => {
    const { overlay } = ui.store.get()
    if (overlay) pressInOverlay(ui, overlay, { chord, text })
    return ui.store.get().overlay
  }
  ui.store.update((state) => ({ ...state, overlay: prompt }))
  const refused = press('enter')
  expect(refused).toMatchObject({ type: 'prompt', problem: 'Won is not a filter' })
  const { lines, cursor } = promptSheet(refused as Prompt, 60, createTheme('none'))
  expect(lines.map((line) => line.trimEnd())).toEqual([
    expect.stringContaining('Deals where: Won'),
    ' ! Won is not a filter',
  ])
  expect(cursor?.y).toBe(0)
  expect(taken).toEqual([])
  expect(press('=', '=')).toMatchObject({ problem: undefined })
  expect(press('enter')).toBeUndefined()
  expect(taken).toEqual(['Won='])
})

test('Tab completes what is common, then takes each text in turn; contacts are filtered on the server, too', async () => {
  const { url, seen } = await startServer((response, { path }) => {
    const data = path.includes('company=') ? [{ id: 'con_2', name: 'B', company: 'Big Co' }] : contactsOf
    sendJson(response, 200, { data, next_cursor: null })
  })
  const { api } = openClient(url)
  const ui = await uiOf('contacts', { openApi: async () => api })
  await ui.background.lists.more('contacts')
  const text = () => {
    const { overlay } = ui.store.get()
    return overlay?.type === 'prompt' ? inputText(overlay.input) : undefined
  }
  ui.press('f', ...'comp', 'tab')
  expect(text()).toBe('company')
  ui.press('=', 'tab')
  expect(text()).toBe('company=Acme ')
  ui.press('tab')
  expect(text()).toBe('company="Big Co" ')
  ui.press('shift-tab', 'tab', 'enter')
  await expect.poll(() => ui.store.get().lists.contacts.rows.map(({ id }) => id)).toEqual(['con_2'])
  expect(seen.at(-1)?.path).toContain('company=Big')
})

test('a server that ignores a filter is told from one that has no other rows', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: contactsOf, next_cursor: null }))
  const { api } = openClient(url)
  const ui = await uiOf('contacts', { openApi: async () => api })
  ui.press('f', ...'company=Acme', 'enter')
  await expect.poll(() => ui.store.get().toasts.at(-1)?.text).toMatch(/^The server ignores company=Acme/)
})

test('Esc drops the filter of f, after marks and what / found, and all rows are loaded', async () => {
  const { url, seen } = await startServer((response, { path }) => {
    const data = path.includes('company=') ? contactsOf.slice(0, 1) : contactsOf
    sendJson(response, 200, { data, next_cursor: null })
  })
  const { api } = openClient(url)
  const ui = await uiOf('contacts', { openApi: async () => api })
  const rows = () => ui.store.get().lists.contacts.rows.length
  ui.press('f', ...'company=Acme', 'enter')
  await expect.poll(rows).toBe(1)
  ui.press('space', '/', 'a', 'enter', 'esc', 'esc')
  expect(seen.at(-1)?.path).toContain('company=Acme')
  ui.press('esc')
  await expect.poll(rows).toBe(2)
  expect(ui.store.get().lists.contacts.serverFilters).toEqual({})
})

test('a filter that the server refuses leaves the list as complete as it was', async () => {
  const { url } = await startServer((response, { path }) => {
    if (!path.includes('company=')) return sendJson(response, 200, { data: contactsOf, next_cursor: null })
    sendJson(response, 400, { error: { code: 'invalid_filter', message: 'no such company' } })
  })
  const { api } = openClient(url)
  const ui = await uiOf('contacts', { openApi: async () => api })
  await ui.background.lists.more('contacts')
  const before = ui.store.get().lists.contacts
  ui.press('f', ...'company=Nope', 'enter')
  await expect.poll(() => ui.store.get().overlay).toMatchObject({ problem: expect.stringContaining('no such company') })
  const { rows, isComplete, isStale, failure, serverFilters } = ui.store.get().lists.contacts
  expect(before).toMatchObject({ rows, isComplete, isStale, failure, serverFilters })
  expect([isComplete, isStale, failure]).toEqual([true, false, undefined])
})

const contactsOf = [
  { id: 'con_1', name: 'A', company: 'Acme' },
  { id: 'con_2', name: 'B', company: 'Big Co' },
]
