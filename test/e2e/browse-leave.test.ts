import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 30 }

async function browse(env: Env): Promise<Terminal> {
  const terminal = openTerminal(['browse', 'contacts'], env, WIDE)
  await terminal.sees('? help')
  return terminal
}

async function editAll(terminal: Terminal): Promise<void> {
  await terminal.sees('❯  ')
  terminal.type('Ab')
  await terminal.sees('Change in')
  terminal.type('company=Acme')
  terminal.press('Enter')
  await terminal.sees('edited, not sent')
}

/** The process of crm itself: the shell of the terminal is its parent. */
function crmPid(terminal: Terminal): number {
  return Number(spawnSync('pgrep', ['-P', String(terminal.pid())], { encoding: 'utf8' }).stdout.split('\n')[0])
}

function keptFiles({ HOME = '' }: Env): readonly string[] {
  const folder = join(HOME, '.local', 'state', 'crm', 'browse')
  return readdirSync(folder).map((name) => join(folder, name))
}

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  for (const [name, end] of [
    ['SIGTERM', (terminal: Terminal) => void process.kill(crmPid(terminal), 'SIGTERM')],
    ['a terminal that closes', (terminal: Terminal) => terminal.close()],
  ] as const) {
    test(`${name} keeps edits and deletions that are not sent, and the next start has them again`, async () => {
      const service = await startService()
      await make(service, '/v1/contacts', [{ name: 'Keep' }, { name: 'Gone soon' }])
      const terminal = await browse(service.env)
      await editAll(terminal)
      terminal.press('Escape')
      terminal.type('gg')
      terminal.type('d')
      await terminal.sees('❯[Cancel]')
      terminal.type('y')
      // The dialog, too, says "deleted for good".
      await terminal.sees('deleted for good in')
      end(terminal)
      if (name === 'SIGTERM') {
        await terminal.sees('exit=143')
        expect(terminal.screen()).toContain('3 changes not sent, and kept: crm browse shows and sends them.')
      }
      await expect.poll(() => keptFiles(service.env).map((path) => statSync(path).mode & 0o777)).toEqual([0o600])
      expect((await all(service, '/v1/contacts')).map(({ company }) => company ?? null)).toEqual([null, null])
      const again = await browse(service.env)
      await again.sees('2 edited, not sent (w sends) · 1 to be deleted (w sends, u cancels)')
      again.type('w')
      await again.sees('Send 2 updates and 1 deletion to')
      again.type('y')
      await again.sees('1-1 of 1')
      await expect.poll(() => all(service, '/v1/contacts')).toMatchObject([{ name: 'Keep', company: 'Acme' }])
      again.type('q')
      await again.sees('exit=0')
      expect(keptFiles(service.env)).toEqual([])
    })
  }

  test('one of two browses has the kept edits; when it is killed, the next one gets them', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await editAll(terminal)
    process.kill(crmPid(terminal), 'SIGTERM')
    await terminal.sees('exit=143')
    const one = await browse(service.env)
    await one.sees('1 edited, not sent')
    const pid = crmPid(one)
    const other = await browse(service.env)
    await other.sees(`Kept changes are held by another crm (process ${pid})`)
    expect(other.screen()).not.toContain('edited, not sent')
    other.type('q')
    await other.sees('exit=0')
    process.kill(pid, 'SIGKILL')
    await one.sees('exit=137')
    const next = await browse(service.env)
    await next.sees('1 edited, not sent')
    next.type('w')
    await next.sees('Send 1 update to')
    next.type('y')
    await expect.poll(() => all(service, '/v1/contacts')).toMatchObject([{ company: 'Acme' }])
    await expect.poll(() => keptFiles(service.env)).toEqual([])
    process.kill(crmPid(next), 'SIGKILL')
    expect((await browse(service.env)).screen()).not.toContain('edited, not sent')
  })

  for (const [name, end] of [
    ['an exception in the handler of a key', (terminal: Terminal) => terminal.type('/ß')],
    ['a rejection', (terminal: Terminal) => void process.kill(crmPid(terminal), 'SIGUSR2')],
  ] as const) {
    test(`${name} keeps the edits, says how to go on, and is exit 1`, async () => {
      const service = await startService()
      await make(service, '/v1/contacts', [{ name: 'Ada' }])
      const preload = fileURLToPath(new URL('breaking-preload.ts', import.meta.url))
      const terminal = await browse({ ...service.env, NODE_OPTIONS: `--import=${preload}` })
      await editAll(terminal)
      end(terminal)
      const screen = await terminal.sees('exit=1')
      expect(screen).toContain('1 change not sent, and kept: crm browse shows and sends them.')
      expect(screen).toContain('crm: this is a bug\nError: broken by the test')
      expect(terminal.isOnAlternateScreen()).toBe(false)
      expect(terminal.isCursorVisible()).toBe(true)
      const next = await browse(service.env)
      await next.sees('1 edited, not sent')
      next.press('C-c')
      await next.sees('Quit? Not sent: 1 update')
      next.press('C-c')
      await next.sees('exit=0')
    })
  }

  test('unsaved input of a form is asked about, kept at SIGTERM, and sent from the next start', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  ')
    terminal.type('e')
    await terminal.sees('Edit Ada')
    terminal.type(' Lovelace')
    terminal.press('C-c')
    await terminal.sees('Quit? Not sent: 1 form')
    terminal.press('Escape')
    await terminal.sees('Ada Lovelace')
    process.kill(crmPid(terminal), 'SIGTERM')
    await terminal.sees('exit=143')
    expect(terminal.screen()).toContain('1 form kept: crm browse, then i, opens it again.')
    const again = await browse(service.env)
    await again.sees('1 form kept (i opens it)')
    again.type('i')
    await again.sees('Ada Lovelace')
    again.press('C-s')
    await again.sees('Saved Ada Lovelace')
    expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Ada Lovelace' }])
    expect(keptFiles(service.env)).toEqual([])
  })

  test('q while edits are being sent asks; stopped, crm states at once that it waits, and how to continue', async () => {
    let changes = 0
    const ada = { id: 'con_1', name: 'Ada', company: 'Old' }
    const server = createServer(({ method, url = '' }, response) => {
      // The answer to a change never comes.
      if (method === 'PATCH') return void changes++
      const body = url.endsWith('/con_1') ? ada : { data: [ada], next_cursor: null, has_more: false }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const terminal = await browse(emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: 'k' }))
    await editAll(terminal)
    terminal.type('w')
    await terminal.sees('Send 1 update to')
    terminal.type('y')
    await terminal.sees('sending 1 update of contacts …')
    await expect.poll(() => changes).toBe(1)
    terminal.type('q')
    await terminal.sees('Quit? sending 1 update of contacts')
    terminal.press('Escape')
    terminal.type('?')
    await terminal.sees('Keys of Contacts')
    terminal.press('Escape')
    terminal.type('q')
    await terminal.sees('Wait until it is sent, then quit')
    terminal.press('Up', 'Enter')
    await terminal.sees('Waiting for the answers to what was sent; Ctrl-C ends crm at once.')
    server.closeAllConnections()
    expect(await terminal.sees('exit=130')).toMatch(/crm jobs resume job_\w+/)
  })
})
