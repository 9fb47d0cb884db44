import { once } from 'node:events'
import { readdirSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome } from '../harness/home.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serve, startService } from '../harness/service.ts'
import { startCrm } from './crm.ts'
import { listen, logOf, newSecretFile, send } from './listening.ts'

const CREATED = { type: 'contact.created', timestamp: '2026-01-01T00:00:00Z', data: { id: 'con_1', name: 'Ada' } }

test('an event is in the log when its sender is answered, and is known again after a kill', async () => {
  const home = emptyHome()
  const { secret, args } = newSecretFile()
  const first = await listen([...args, '--port', '0'], home)
  expect(await send(first.url, secret, CREATED)).toBe(204)
  await first.stop('SIGKILL')
  expect(logOf(home.HOME)).toMatchObject([{ v: 1, id: 'evt_1', duplicate: false, body_text: JSON.stringify(CREATED) }])
  const second = await listen([...args, '--port', '0'], home)
  expect(await send(second.url, secret, CREATED)).toBe(204)
  expect(await second.next()).toMatchObject({ id: 'evt_1', duplicate: true })
  await second.stop()
  expect(logOf(home.HOME)).toMatchObject([{ duplicate: false }, { duplicate: true }])
})

test('started repeatedly, it creates one subscription', async () => {
  const home = emptyHome()
  const service = await startService()
  const { url, requests } = await countRequests(service.url)
  await crmPrints(['auth', 'login', '--base-url', url, '--key-stdin', '--storage', 'file'], home, service.key)
  const port = String(await freePort())
  for (let at = 0; at < 5; at++) await (await listen(['--port', port], home)).stop()
  expect(requests.filter((line) => line === 'POST /v1/webhooks').length).toBe(1)
})

test('a reused subscription is checked on the server; a server that is down, or does not show it, is reported as such', async () => {
  const home = emptyHome()
  const { url, stop } = await serve(['--database', await memoryDatabase()], home)
  const args = ['--port', String(await freePort())]
  await (await listen(args, home)).stop()
  const asked = await (await listen(args, home)).stop()
  expect(asked.stderr).toMatch(/^Using the subscription wh_\w+ of \S+; failed deliveries .* next try of the sender\.$/m)
  await stop()
  const down = await (await listen(args, home)).stop()
  expect(down.stderr).toMatch(/^Using the subscription wh_\w+ of \S+; the server cannot be reached now; .*\.$/m)
  const refusing = createServer((_, response) => void response.writeHead(403).end()).listen(new URL(url).port)
  await once(refusing, 'listening')
  onTestFinished(() => void refusing.close())
  const unasked = await (await listen(args, home)).stop()
  expect(unasked.stderr).toMatch(
    /^Using the subscription wh_\w+ of .*; it is unknown whether it still exists; --subscribe makes a new one\.$/m,
  )
})

test('a subscription that a new database does not know is created again, and gets events', async () => {
  const home = emptyHome()
  const port = String(await freePort())
  const service = async () => ['--database', await memoryDatabase(), '--port', port]
  const args = ['--port', String(await freePort())]
  const before = await serve(await service(), home)
  const { ready, stop } = await listen(args, home)
  await stop()
  await before.stop()
  await serve(await service(), home)
  const again = await listen(args, home)
  expect(again.ready.subscription_id).not.toBe(ready.subscription_id)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
  expect(await again.next()).toMatchObject({ type: 'event', verified: true })
  const { stderr } = await again.stop()
  expect(stderr).toContain(`No longer used: the subscription ${ready.subscription_id} of `)
  expect(stderr).toMatch(/ is gone there\.\nSubscribed /)
})

test('where none is made unasked, one that is gone ends it with 2 and the command that makes one', async () => {
  const home = emptyHome()
  const port = String(await freePort())
  const service = async () => ['--database', await memoryDatabase(), '--port', port]
  const before = await serve(await service(), home)
  const args = ['--port', String(await freePort()), '--public-url', 'https://hooks.example.test/crm']
  await (await listen([...args, '--subscribe'], home)).stop()
  await before.stop()
  await serve(await service(), home)
  const { exit, stderr } = await crm(['listen', ...args], home)
  expect(exit).toBe(2)
  expect(stderr).toMatch(
    /^crm: the subscription wh_\w+ of .* is gone there\n.*make a new one: crm listen .* --subscribe$/m,
  )
})

test('a folder that cannot be written ends it with 13 before it listens, and a home that cannot is no obstacle', async () => {
  const { args } = newSecretFile()
  const named = await crm(['listen', ...args, '--port', '0'], { ...emptyHome(), CRM_STATE_HOME: '/proc/nowhere' })
  expect(named).toMatchObject({ exit: 13, stdout: '', stderr: expect.stringContaining('/proc/nowhere') })
  const { ready, stop } = await listen([...args, '--port', '0'], { ...emptyHome(), HOME: '/proc/nowhere' })
  expect(ready.log).toMatch(/\/crm-events-/)
  expect((await stop()).stderr).toContain(`Events are kept in ${ready.log}; set CRM_STATE_HOME`)
})

test('a disk that is full ends it with 13 and a reason, and the event is not acknowledged', async () => {
  const { secret, args } = newSecretFile()
  const home = emptyHome()
  const child = startCrm(['listen', '-o', 'jsonl', '--port', '0', ...args], home)
  onTestFinished(() => void child.kill('SIGKILL'))
  const [ready] = await once(child.stdout.setEncoding('utf8'), 'data')
  // No longer a folder that can be written to, as on a disk that is gone.
  const folder = join(home.HOME, '.local/state/crm/events')
  const { rmSync, writeFileSync } = await import('node:fs')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  await expect(send(JSON.parse(ready).url, secret, CREATED)).rejects.toThrow('fetch failed')
  const { exit, stderr } = await child.done
  expect(exit).toBe(13)
  expect(stderr).toContain(folder)
})

test('--events refuses names that the service does not send, and suggests the right one', async () => {
  const { exit, stderr } = await crm(['listen', '--events', 'contact.craeted'], emptyHome())
  expect(exit).toBe(2)
  expect(stderr).toMatch(/^crm: contact\.craeted matches no event of crm serve\n {2}did you mean contact\.created\? /)
})

test('--where shows the events for which it is true, and survives those that it fails on', async () => {
  const { secret, args } = newSecretFile()
  const where = '.body.data.name | startswith("A")'
  const { url, next, stop } = await listen([...args, '--port', '0', '--where', where], emptyHome())
  await send(url, secret, { type: 'deal.created', data: {} }, 'evt_1')
  await send(url, secret, { type: 'deal.created', data: { name: 'Bob' } }, 'evt_2')
  await send(url, secret, CREATED, 'evt_3')
  expect(await next()).toMatchObject({ id: 'evt_3' })
  const { stderr } = await stop()
  expect(stderr).toMatch(/--where .*; events that it fails on are left out\./)
  expect(stderr).toContain('Events: 3, duplicates: 0, rejected: 0, not shown because of --events or --where: 2.')
})

test('--keep says on stderr how many files it deleted, and of what age', async () => {
  const home = emptyHome()
  const { secret, args } = newSecretFile()
  const first = await listen([...args, '--port', '0'], home)
  await send(first.url, secret, CREATED)
  expect((await first.stop()).stderr).not.toContain('Deleted')
  const folder = join(home.HOME, '.local/state/crm/events')
  const longAgo = new Date(Date.now() - 40 * 86_400_000)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), longAgo, longAgo)
  const second = await listen([...args, '--port', '0', '--keep', '30d'], home)
  await send(second.url, secret, CREATED, 'evt_2')
  expect((await second.stop()).stderr).toContain(
    'Deleted 1 file of the event log (--keep): last written to 40 days ago, 0.0 MB.\n',
  )
  expect(logOf(home.HOME)).toMatchObject([{ id: 'evt_2' }])
})
