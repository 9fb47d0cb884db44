import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { makeSelfSignedCertificate } from '../api/self-signed-certificate.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { startApp } from '../webhooks/app.ts'
import { crm } from './crm.ts'
import { newSecretFile, send } from './listening.ts'
import { startService } from './service.ts'
import { test } from './shared-service.ts'
import { HAS_TMUX, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 30 }

/** What crm itself is, under the shell of the terminal. */
function crmPid(terminal: Terminal): number {
  return Number(spawnSync('pgrep', ['-P', String(terminal.pid())], { encoding: 'utf8' }).stdout.split('\n')[0])
}

test('--tui without a terminal, or with a format, is refused before a port is opened', async ({ service }) => {
  const none = await crm(['listen', '--tui'], service.env)
  expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('crm listen --tui needs a terminal') })
})

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('events come on top until the cursor is moved, and then are counted; the screen says what was rejected', async () => {
    const [port, { secret, args }] = [await freePort(), newSecretFile()]
    const url = `http://127.0.0.1:${port}/`
    const terminal = openTerminal(['listen', '--tui', '--port', String(port), ...args], emptyHome(), WIDE)
    await terminal.sees(`Senders reach this at ${url}`)
    expect(await send(url, secret, { type: 'contact.created', data: { id: 'con_1' } }, 'evt_a')).toBe(204)
    await terminal.sees(/❯.*contact\.created.*con_1.*verified/)
    await send(url, secret, { type: 'contact.updated', data: { id: 'con_2' } }, 'evt_b')
    await terminal.sees(/❯.*contact\.updated.*con_2/)
    terminal.type('j')
    await terminal.sees(/❯.*con_1/)
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(await terminal.sees('1 new (r shows)')).toMatch(/❯.*con_1/)
    terminal.type('r')
    expect(await terminal.sees('401 no_signature')).toMatch(/❯.*con_1/)
    terminal.press('M-1')
    await terminal.sees('no server is named')
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(terminal.screen()).toContain('Events: 2, duplicates: 0, rejected: 1')
    expect([terminal.isOnAlternateScreen(), terminal.isCursorVisible()]).toEqual([false, true])
    await expect(fetch(url)).rejects.toThrow()
  })

  test('a test event is received, and a selected one is sent to an app with a new signature', async () => {
    const service = await startService()
    const seen: { readonly id: unknown; readonly signature: unknown }[] = []
    const app = createServer(({ headers }, response) => {
      seen.push({ id: headers['webhook-id'], signature: headers['webhook-signature'] })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(app, 'listening')
    onTestFinished(() => void app.close())
    const target = `http://127.0.0.1:${(app.address() as AddressInfo).port}/hook`
    const terminal = openTerminal(['listen', '--tui', '--port', '0', '--subscribe'], service.env, WIDE)
    await terminal.sees('No event yet')
    terminal.type('T')
    await terminal.sees('Event, members, to=URL: contact.created to=http://127.0.0.1:')
    terminal.press('Enter')
    await terminal.sees(/❯.*contact\.created.*verified/)
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    await terminal.sees('1-2 of 2')
    terminal.type('R')
    await terminal.sees('Send contact.created to:')
    terminal.press('C-u')
    terminal.type(target)
    terminal.press('Enter')
    await terminal.sees(`Sent contact.created -> ${target} 200`)
    expect(seen).toEqual([{ id: expect.stringMatching(/^evt_/), signature: expect.stringMatching(/^v1,/) }])
    terminal.type('T')
    await terminal.sees('Event, members, to=URL:')
    terminal.press('C-u')
    terminal.type(`deal.created to=${target}`)
    terminal.press('Enter')
    await terminal.sees(`Sent deal.created -> ${target} 200`)
    expect(seen[1]).toMatchObject({ signature: expect.stringMatching(/^v1,/) })
  })

  test('with --cacert and --header, forwarded events and those sent by a key reach a handler with https', async () => {
    const certificate = makeSelfSignedCertificate('localhost')
    const app = await startApp(undefined, '127.0.0.1', certificate)
    const target = `https://localhost:${app.port}/hook`
    const authority = join(tempFolder(), 'ca.pem')
    writeFileSync(authority, certificate.cert)
    const token = join(tempFolder(), 'token')
    writeFileSync(token, 'of-the-app\n', { mode: 0o600 })
    const [port, { secret, args }] = [await freePort(), newSecretFile()]
    const headers = ['--header', 'X-Env: test', '--header', `X-Auth-Token: @${token}`]
    const words = ['listen', '--tui', '--port', String(port), '--forward', target, '--cacert', authority, ...headers]
    const terminal = openTerminal([...words, ...args], emptyHome(), WIDE)
    await terminal.sees('No event yet')
    await send(`http://127.0.0.1:${port}/`, secret, { type: 'deal.created', data: { id: 'deal_1' } })
    await terminal.sees(/❯.*deal\.created.*verified -> 200/)
    terminal.type('R')
    await terminal.sees('Send deal.created to:')
    terminal.press('C-u')
    terminal.type(target)
    terminal.press('Enter')
    await terminal.sees(`Sent deal.created -> ${target} 200`)
    const sent = { 'x-env': 'test', 'x-auth-token': 'of-the-app' }
    expect(app.requests.map(({ headers }) => headers)).toMatchObject([sent, sent])
    expect(terminal.screen()).not.toContain('of-the-app')
  })

  test('a screen without a secret shows where one can be set', async ({ service }) => {
    const terminal = openTerminal(['browse', 'events'], service.env, WIDE)
    await terminal.sees('No event')
    terminal.type('T')
    await terminal.sees('Event, members, to=URL:')
    terminal.press('Enter')
    await terminal.sees('no secret is known for')
    await terminal.sees('--secret-file FILE')
    expect(terminal.screen()).not.toContain('give one')
  })

  test('the answer of a target is shown beside the event, and SIGTERM stops receiver and screen', async () => {
    const [port, { secret, args }] = [await freePort(), newSecretFile()]
    const app = createServer((_, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1')
    await once(app, 'listening')
    onTestFinished(() => void app.close())
    const forward = String((app.address() as AddressInfo).port)
    const words = ['listen', '--tui', '--port', String(port), '--forward', forward, ...args]
    const terminal = openTerminal(words, emptyHome(), WIDE)
    await terminal.sees('No event yet')
    await send(`http://127.0.0.1:${port}/`, secret, { type: 'deal.created', data: { id: 'deal_1' } })
    await terminal.sees(/❯.*deal\.created.*verified -> 503/)
    process.kill(crmPid(terminal), 'SIGTERM')
    await terminal.sees(/exit=\d+/)
    expect([terminal.isOnAlternateScreen(), terminal.isCursorVisible()]).toEqual([false, true])
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })
})
