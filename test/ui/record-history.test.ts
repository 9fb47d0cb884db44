import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { watchHistory } from '../../src/ui/background/pane.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { CONTRACT, openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

const screenOf = ({ store, keymap, boards }: TestUi) =>
  drawFrame(store.get(), { theme: createTheme('none'), keymap, boards })
    .lines.map(stripVTControlCharacters)
    .join('\n')

async function browsing(url: string | URL, options: Parameters<typeof openClient>[1]): Promise<TestUi> {
  const { api } = openClient(new URL(url), options)
  const ui = await uiOf('contacts', { openApi: async () => api })
  onTestFinished(watchHistory(ui.store, async () => api, ui.boards))
  await ui.background.lists.more('contacts')
  return ui
}

test('the pane shows the last changes with old and new values and the key, and C all of them', async () => {
  const service = await serveForTest()
  const { id } = (await service.send('POST', '/v1/contacts', { name: 'Ada', company: 'Acme' })).json as { id: string }
  for (let at = 0; at < 6; at++) await service.send('PATCH', `/v1/contacts/${id}`, { company: `Acme ${at}` })
  const ui = await browsing(service.url, { key: service.key.text })
  ui.press('enter')
  await expect.poll(() => screenOf(ui)).toContain('company: Acme 4 -> Acme 5')
  const pane = screenOf(ui)
  expect(pane).toMatch(/● \d\d:\d\d:\d\d · updated · test/)
  expect(pane).toContain('company: Acme 0 -> Acme 1')
  expect(pane).not.toContain('company: Acme -> Acme 0')
  expect(pane).toContain('C shows earlier changes')
  ui.press('C')
  await expect.poll(() => screenOf(ui)).toContain('Changes of Ada (7)')
  expect(screenOf(ui)).toContain('company: Acme -> Acme 0')
})

test('after a change from here the pane shows that change, too', async () => {
  const service = await serveForTest()
  await service.send('POST', '/v1/contacts', { name: 'Ada', company: 'Acme' })
  const ui = await browsing(service.url, { key: service.key.text })
  ui.press('enter')
  await expect.poll(() => screenOf(ui)).toContain('created · test')
  const [row] = ui.store.get().lists.contacts.rows
  if (!row) throw new Error('no row')
  await ui.background.writes.update('contacts', row, { company: 'BULK' }, false)
  await expect.poll(() => screenOf(ui)).toContain('company: Acme -> BULK')
})

test('a server whose connector has no history is asked for none, and C names the command for what jobs did', async () => {
  const paths: string[] = []
  const { url } = await startServer((response, request) => {
    paths.push(request.path)
    if (!request.path.startsWith('/v1/contacts')) return void response.writeHead(404).end()
    sendJson(response, 200, { data: [{ id: 'con_1', name: 'Ada' }], next_cursor: null, has_more: false })
  })
  const ui = await browsing(url, { connector: CONTRACT(url, SERVER_TERMS) })
  ui.press('enter', 'C')
  await expect
    .poll(() => ui.store.get().toasts.at(-1)?.text)
    .toContain('This server describes no history; crm contacts history con_1')
  expect(paths.filter((path) => path.includes('history'))).toEqual([])
  expect(ui.store.get().history).toBeUndefined()
})
