import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { crmPrints } from './crm.ts'
import { newSecretFile, send } from './listening.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 30 }

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('part of an email address is found in rows that are not loaded, and the search stops with Esc', async () => {
    const terminal = openTerminal(
      ['browse', 'contacts'],
      emptyHome({ CRM_BASE_URL: await pagingServer(), CRM_API_KEY: 'k' }),
      WIDE,
    )
    await terminal.sees('of 100+')
    terminal.type('/needle@')
    await terminal.sees('0 of 100 loaded; Enter searches the rest, a request for each page')
    terminal.press('Enter')
    await terminal.sees(/❯ {2}Name 777 +needle@exa/)
    terminal.press('Escape')
    await terminal.sees('Stopped loading')
  })

  test('a whole email address is found by a request of the server, not page by page', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [
      { name: 'Ada', email: 'ada@example.com' },
      ...Array.from({ length: 60 }, (_, at) => ({ name: `Name ${at}` })),
    ])
    const { CRM_BASE_URL: url = '', ...env } = service.env
    for (const [name, value] of [
      ['base_url', url],
      ['page_size', '20'],
    ])
      await crmPrints(['config', 'set', name ?? '', value ?? '', '-p', 'small'], { ...env, CRM_API_KEY: '' })
    const terminal = openTerminal(['browse', 'contacts'], { ...env, CRM_PROFILE: 'small' }, WIDE)
    await terminal.sees('of 20+')
    terminal.type('/ada@example.com')
    await terminal.sees('0 of 20 loaded; Enter searches the rest')
    terminal.press('Enter')
    await terminal.sees(/❯ {2}Ada +ada@example\.com/)
    await terminal.sees('The server found 1 with this email; L loads all rows')
  })

  test('marks that are not shown are told, and an action on them asks', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada' }, { name: 'Grace' }])
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('1-2 of 2')
    terminal.type('A/ada')
    terminal.press('Enter')
    await terminal.sees('2 marked, 1 not shown')
    terminal.type('d')
    await terminal.sees('1 of 2 marked rows is not shown')
    terminal.press('Up', 'Enter')
    await terminal.sees('Send 1 deletion to')
    await terminal.sees('delete: Ada')
  })

  test('the state of an event is whole at 80 columns', async () => {
    const app = createServer((_, response) => void response.end()).listen(0, '127.0.0.1')
    await once(app, 'listening')
    onTestFinished(() => void app.close())
    const [port, { secret, args }] = [await freePort(), newSecretFile()]
    const forward = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`
    const words = ['listen', '--tui', '--port', String(port), '--forward', forward, ...args]
    const terminal = openTerminal(words, emptyHome(), { columns: 80, rows: 24 })
    const url = `http://127.0.0.1:${port}/`
    await terminal.sees(`Senders reach this at ${url}`)
    expect(await send(url, secret, { type: 'contact.created', data: { id: 'con_1' } }, 'evt_a')).toBe(200)
    await terminal.sees(/contact\.created.*verified -> 200/)
  })
})

/** Contacts in pages of 100; each page takes a moment. */
async function pagingServer(): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://crm.test')
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const data = Array.from({ length: 100 }, (_, at) => {
      const number = from + at
      return {
        id: `con_${number}`,
        name: `Name ${number}`,
        email: number === 777 ? 'needle@example.test' : `c${number}@x.test`,
      }
    })
    const answer = JSON.stringify({ data, next_cursor: from < 100_000 ? String(from + 100) : null })
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), from === 0 ? 0 : 60)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
