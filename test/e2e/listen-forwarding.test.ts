import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSelfSignedCertificate } from '../api/self-signed-certificate.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { startApp } from '../webhooks/app.ts'
import { listen, newSecretFile, send } from './listening.ts'

const CREATED = { type: 'contact.created', timestamp: '2026-01-01T00:00:00Z', data: { id: 'con_1', name: 'Ada' } }

test('an app gets the bytes that the service signed, and they are genuine to an independent verifier', async () => {
  const { Webhook } = await import('standardwebhooks')
  const { secret, args } = newSecretFile()
  const app = await startApp()
  const { url, next } = await listen([...args, '--port', '0', '--forward', String(app.port)], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(200)
  const [request] = app.requests
  const headers = request?.headers as Record<string, string>
  expect(new Webhook(secret).verify(request?.body.toString() ?? '', headers)).toEqual(CREATED)
  expect(await next()).toMatchObject({ type: 'event', id: 'evt_1' })
  expect(await next()).toMatchObject({ type: 'forwarded', id: 'evt_1', status: 200, failure: null, attempt: 1 })
})

test('an app with https gets the event, with an added header, if its certificate is trusted', async () => {
  const { secret, args } = newSecretFile()
  const certificate = makeSelfSignedCertificate('localhost')
  const authority = join(tempFolder(), 'ca.pem')
  writeFileSync(authority, certificate.cert)
  const app = await startApp(undefined, '127.0.0.1', certificate)
  const words = [...args, '--port', '0', '--forward', `https://localhost:${app.port}`]
  const untrusting = await listen(words, emptyHome())
  expect(await send(untrusting.url, secret, CREATED)).toBe(502)
  expect(await untrusting.next()).toMatchObject({ type: 'event' })
  expect(await untrusting.next()).toMatchObject({ failure: expect.stringContaining('self-signed; --cacert FILE') })
  await untrusting.stop()
  const { url, next } = await listen([...words, '--cacert', authority, '--header', 'X-Env: test'], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(200)
  expect(await next()).toMatchObject({ type: 'event' })
  expect(await next()).toMatchObject({ type: 'forwarded', status: 200, failure: null })
  expect(app.requests).toMatchObject([{ headers: { 'x-env': 'test', 'webhook-id': 'evt_1' } }])
})

test('a rejected event is forwarded nowhere', async () => {
  const { args } = newSecretFile()
  const app = await startApp()
  const { url, next } = await listen([...args, '--port', '0', '--forward', app.url], emptyHome())
  expect(await send(url, newSecretFile().secret, CREATED)).toBe(401)
  expect(await next()).toMatchObject({ type: 'rejected' })
  expect(app.requests).toEqual([])
})

test('the service retries an event that the app refused, and it is forwarded although it is a duplicate', async () => {
  const home = emptyHome()
  await serve(['--database', await memoryDatabase(), '--retry-schedule', '0,50ms,50ms'], home)
  const app = await startApp((response, _, index) => response.writeHead(index === 0 ? 503 : 200).end())
  const { next } = await listen(['--port', String(await freePort()), '--forward', app.url], home)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
  expect(await next()).toMatchObject({ type: 'event', duplicate: false })
  expect(await next()).toMatchObject({ type: 'forwarded', status: 503, failure: 'answered 503' })
  expect(await next()).toMatchObject({ type: 'event', duplicate: true })
  expect(await next()).toMatchObject({ type: 'forwarded', status: 200 })
})

test('--ack now acknowledges the event at once, retries here, and reports at the end which events no app accepted', async () => {
  const { secret, args } = newSecretFile()
  const app = await startApp((response, _, index) => response.writeHead(index === 1 ? 200 : 500).end())
  const flags = ['--port', '0', '--forward', app.url, '--ack', 'now', '--retry', '1']
  const { url, next, stop } = await listen([...args, ...flags], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(204)
  expect(await next()).toMatchObject({ type: 'event' })
  expect(await next()).toMatchObject({ type: 'forwarded', status: 500, attempt: 1, retry_in_ms: 1000 })
  expect(await next()).toMatchObject({ type: 'forwarded', status: 200, attempt: 2, retry_in_ms: null })
  expect(await send(url, secret, CREATED, 'evt_2')).toBe(204)
  await app.has(3)
  expect((await stop()).stderr).toContain('Not forwarded: 1; they are kept:')
})

test('what a listener acknowledged and did not forward before it was killed is failed, offered by the next, and taken once', async () => {
  const { secret, args } = newSecretFile()
  const home = emptyHome()
  let isSlow = true
  const app = await startApp((response) => void (isSlow || response.end('ok')))
  const flags = [...args, '--port', '0', '--forward', app.url, '--ack', 'now']
  const first = await listen(flags, home)
  for (const id of ['evt_1', 'evt_2', 'evt_3']) expect(await send(first.url, secret, CREATED, id)).toBe(204)
  await app.has(1)
  await first.stop('SIGKILL')
  isSlow = false
  expect(await crmPrints(['webhooks', 'events', 'list', '--failed', '-o', 'id'], home)).toBe('evt_3\nevt_2\nevt_1\n')
  const before = app.requests.length
  const { stderr } = await (await listen(flags, home)).stop()
  expect(app.requests).toHaveLength(before)
  const [, offer = ''] = /^3 events were acknowledged before and never forwarded; to .*: crm (.*)$/m.exec(stderr) ?? []
  await crmPrints(offer.split(' '), home)
  expect(app.requests.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2', 'evt_3'])
  expect(await crmPrints(['webhooks', 'events', 'list', '--failed', '-o', 'id'], home)).toBe('')
})

test('--exec runs a command with the event as JSON on stdin; what it prints never reaches stdout', async () => {
  const { secret, args } = newSecretFile()
  const script = join(tempFolder(), 'handler.mjs')
  writeFileSync(
    script,
    `import { text } from 'node:stream/consumers'
     const { body } = JSON.parse(await text(process.stdin))
     console.log('handled', body.data.name, process.argv[2])
     process.exit(body.data.name === 'Ada' ? 0 : 3)`,
  )
  const command = `${process.execPath} ${script} '$HOME; two words'`
  const { url, next, stop } = await listen([...args, '--port', '0', '--exec', command], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(204)
  expect(await next()).toMatchObject({ type: 'event' })
  expect(await next()).toMatchObject({ type: 'executed', target: command, exit: 0, failure: null })
  expect(await send(url, secret, { ...CREATED, data: { name: '\x1b[2J' } }, 'evt_2')).toBe(500)
  expect(await next()).toMatchObject({ type: 'event' })
  expect(await next()).toMatchObject({ type: 'executed', exit: 3, failure: 'exit 3' })
  const { stderr } = await stop()
  expect(stderr).toContain('handled Ada $HOME; two words\n')
  expect(stderr).toContain('handled \\x1b[2J')
})

test('a command that vanishes while it listens is a failure as any other: 500, and it listens on', async () => {
  const { secret, args } = newSecretFile()
  const program = join(tempFolder(), 'handler')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 })
  const { url, next, stop } = await listen([...args, '--port', '0', '--exec', program], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(204)
  rmSync(program)
  expect(await send(url, secret, CREATED, 'evt_2')).toBe(500)
  for (const type of ['event', 'executed', 'event']) expect(await next()).toMatchObject({ type })
  expect(await next()).toMatchObject({ type: 'executed', exit: null, failure: expect.stringContaining('no such') })
  expect(await stop()).toMatchObject({ exit: 0 })
})

test('--simulate fails as often as requested, after the event was kept, and the app then gets nothing', async () => {
  const { secret, args } = newSecretFile()
  const app = await startApp()
  const flags = ['--port', '0', '--forward', app.url, '--simulate', 'fail=100%,delay=5ms']
  const { url, next } = await listen([...args, ...flags], emptyHome())
  expect(await send(url, secret, CREATED)).toBe(500)
  expect(await next()).toMatchObject({ type: 'event', id: 'evt_1' })
  expect(await next()).toMatchObject({ type: 'simulated', id: 'evt_1', status: 500, delay_ms: 5 })
  expect(app.requests).toEqual([])
})

test('--tunnel runs a command, takes the address that it prints, subscribes that, and ends with it', async () => {
  const home = emptyHome()
  await serve(['--database', await memoryDatabase()], home)
  const script = join(tempFolder(), 'tunnel.mjs')
  writeFileSync(
    script,
    `console.error('see https://example.test/docs and http://localhost:4040')
     console.log('|  https://quick-brown-fox.example.test  |')
     setTimeout(() => process.exit(7), Number(process.argv[2]))`,
  )
  const tunnel = (ms: number) => ['--tunnel', `${process.execPath} ${script} ${ms}`]
  const args = ['--port', '0', '--path', '/hook', '--subscribe']
  const { ready, stop } = await listen([...args, ...tunnel(60_000)], home)
  expect(ready).toMatchObject({ public_url: 'https://quick-brown-fox.example.test/hook' })
  expect(ready.subscription_id).toMatch(/^wh_/)
  expect(await stop()).toMatchObject({ exit: 0 })
  const lost = await crm(['listen', ...args, ...tunnel(100)], home)
  expect(lost).toMatchObject({ exit: 13, stderr: expect.stringContaining('(exit 7)') })
})

test.each([
  [['--insecure-skip-verify', '--exec', 'x'], /--insecure-skip-verify would let anyone run --exec/],
  [['--ack', 'now'], /--ack now requires --forward or --exec/],
  [['--forward', '3000', '--retry', '2'], /--retry requires --ack now/],
  [['--forward', 'ftp://x'], /--forward "ftp:\/\/x" is not an address/],
  [['--forward', 'notaport'], /--forward "notaport" is not an address\n.*expected 3000/],
  [['--forward', 'deal.*=notaport/hook'], /--forward "deal\.\*=notaport\/hook" is not an address/],
  [['--forward', '999999'], /--forward "999999" is not an address/],
  [['--forward', 'deals.*=3000'], /deals\.\* matches no event of crm serve\n.*did you mean deal\.\*/],
  [['--exec', "a 'b"], /--exec .* is not a command/],
  [['--simulate', 'fail=200%'], /fail=20%/],
  [['--keep', 'some'], /30d/],
  [['--keep', '30'], /30d/],
  [['--keep', '1GB,30'], /30d/],
  [['--simulate', 'delay=2'], /delay=2s/],
  [['--exec', 'nosuchcmd'], /cannot run nosuchcmd: no such program/],
  [['--exec', '/nowhere/nix'], /cannot run \/nowhere\/nix: no such program/],
  [['--tunnel', 'x'], /a tunnel may have a new address/],
  [['--tunnel', 'x', '--public-url', 'https://a.test', '--subscribe'], /both name the public address/],
] as const)('%j is refused', async ([...args], what) => {
  const { exit, stdout, stderr } = await crm(['listen', ...args], emptyHome())
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toMatch(what)
})
