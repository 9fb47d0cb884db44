import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type KeptChange, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { type Env, emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 30 }

async function browse(env: Env): Promise<Terminal> {
  const terminal = openTerminal(['browse', 'contacts'], env, WIDE)
  await terminal.sees(/\? help|Open it|Keep it for/)
  return terminal
}

/** A form with text that is not saved. */
async function typeInForm(terminal: Terminal): Promise<void> {
  await terminal.sees('❯  Ada')
  terminal.type('e')
  await terminal.sees('Edit Ada')
  terminal.type(' Lovelace')
  await terminal.sees('Ada Lovelace')
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
  for (const [name, end, exit] of [
    ['SIGTERM', (terminal: Terminal) => void process.kill(crmPid(terminal), 'SIGTERM'), 143],
    ['kill -9', (terminal: Terminal) => void process.kill(crmPid(terminal), 'SIGKILL'), 137],
    ['a terminal that closes', (terminal: Terminal) => terminal.close(), undefined],
  ] as const) {
    test(`${name} keeps what was typed in a form, and the next start offers it`, async () => {
      const service = await startService()
      await make(service, '/v1/contacts', [{ name: 'Ada' }])
      const terminal = await browse(service.env)
      await typeInForm(terminal)
      if (name === 'SIGTERM') {
        terminal.press('C-c')
        await terminal.sees('Quit? Not saved: 1 form')
        terminal.press('Escape')
        await terminal.sees('Ada Lovelace')
      }
      const modes = () => keptFiles(service.env).map((path) => statSync(path).mode & 0o777)
      await expect.poll(modes).toEqual([0o600])
      end(terminal)
      if (exit !== undefined) await terminal.sees(`exit=${exit}`)
      if (name === 'SIGTERM') expect(terminal.screen()).toContain('1 form kept: crm browse offers it again.')
      const again = await browse(service.env)
      await again.sees('A form of the last session was not saved')
      await again.sees('contacts Ada: name=Ada Lovelace')
      again.press('Enter')
      await again.sees('Edit Ada')
      again.press('C-s')
      await again.sees('Saved Ada Lovelace')
      expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Ada Lovelace' }])
      await expect.poll(() => keptFiles(service.env)).toEqual([])
    })
  }

  test('edits and deletions that an earlier version kept are offered as a plan, and sent as jobs', async () => {
    const service = await startService()
    const [keep, gone] = await make(service, '/v1/contacts', [{ name: 'Ada' }, { name: 'Gone soon' }])
    const rows = await all(service, '/v1/contacts')
    const before = (id: unknown) => rows.find((row) => row.id === id) as KeptChange['before']
    openKeptChanges(service.env, `${service.url}/`).release([
      { list: 'contacts', id: String(keep), patch: { company: 'Acme' }, before: before(keep) },
      { list: 'contacts', id: String(gone), patch: null, before: before(gone) },
    ])
    const terminal = await browse(service.env)
    await terminal.sees('2 changes were kept by an earlier version of crm')
    terminal.press('Enter')
    await terminal.sees('Ada  company: (none) -> Acme')
    await terminal.sees('delete: Gone soon')
    terminal.type('y')
    await expect.poll(() => all(service, '/v1/contacts')).toMatchObject([{ name: 'Ada', company: 'Acme' }])
    await expect.poll(() => keptFiles(service.env)).toEqual([])
  })

  for (const [name, end] of [
    ['an exception in the handler of a key', (terminal: Terminal) => terminal.type('/ß')],
    ['a rejection', (terminal: Terminal) => void process.kill(crmPid(terminal), 'SIGUSR2')],
  ] as const) {
    test(`${name} keeps the form, says how to go on, and is exit 1`, async () => {
      const service = await startService()
      await make(service, '/v1/contacts', [{ name: 'Ada' }])
      const preload = fileURLToPath(new URL('breaking-preload.ts', import.meta.url))
      const terminal = await browse({ ...service.env, NODE_OPTIONS: `--import=${preload}` })
      await typeInForm(terminal)
      end(terminal)
      const screen = await terminal.sees('exit=1')
      expect(screen).toContain('1 form kept: crm browse offers it again.')
      expect(screen).toContain('crm: this is a bug\nError: broken by the test')
      expect(terminal.isOnAlternateScreen()).toBe(false)
      expect(terminal.isCursorVisible()).toBe(true)
      const next = await browse(service.env)
      await next.sees('A form of the last session was not saved')
      next.press('C-c')
      await next.sees('❯  Ada')
      next.type('q')
      await next.sees('exit=0')
    })
  }

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
    await terminal.sees('❯  Ada')
    terminal.type('b')
    await terminal.sees('Change in Ada')
    terminal.type('company=Acme')
    terminal.press('Enter')
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
