import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serve } from '../harness/service.ts'
import { startApp } from '../webhooks/app.ts'
import { listen, newSecretFile } from './listening.ts'

test('a test event has the shape of a real one, and a listener accepts it as genuine', async () => {
  const home = emptyHome()
  const { args } = newSecretFile()
  const { url, next } = await listen([...args, '--port', '0'], home)
  const trigger = ['webhooks', 'trigger', 'contact.updated', '--set', 'name=Ada', '--to', url, ...args, '-o', 'json']
  const sent = JSON.parse(await crmPrints(trigger, home))
  expect(sent).toMatchObject({ event: 'contact.updated', target: url, status: 204, response: '' })
  expect(await next()).toMatchObject({
    id: sent.id,
    event: 'contact.updated',
    record_id: expect.stringMatching(/^con_[0-9a-z]{11}$/),
    verified: true,
    body: { data: { name: 'Ada', email: 'ada@engines.example', version: 1 }, previous: { name: null } },
  })
})

test.each([
  [['contact.created', '--set', 'emial=a@b.example'], 'did you mean email? to add a member: --set-new emial='],
  [['deal.updated', '--set', 'stage=Won', '--previous', 'stgae=Lead'], 'did you mean stage?'],
  [['invoice.paid', '--data', '{"total":5}', '--set', 'totl:=6'], 'did you mean total?'],
])('a member that the record of a synthetic event does not have is refused: %j', async (words, hint) => {
  const run = await crm(['webhooks', 'trigger', ...words, '--dry-run'], emptyHome())
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('; nothing was sent\n') })
  expect(run.stderr).toContain(hint)
})

test('--set-new adds a member to the record of a synthetic event, and all are taken where none is known', async () => {
  const body = async (...words: string[]) =>
    JSON.parse(await crmPrints(['webhooks', 'trigger', ...words, '--dry-run', '-o', 'json'], emptyHome())).body.data
  expect(await body('contact.created', '--set-new', 'tier=gold')).toMatchObject({ tier: 'gold' })
  expect(await body('invoice.paid', '--set', 'totl:=6')).toEqual({ totl: 6 })
  expect(await body('contact.created', '--scheme', 'stripe', '--set', 'totl:=6')).toEqual({ object: { totl: 6 } })
})

test.each(['standard-webhooks', 'svix', 'stripe', 'github'])(
  '%s is a way to sign that a listener knows',
  async (scheme) => {
    const { args } = newSecretFile()
    const { url, next } = await listen([...args, '--port', '0'], emptyHome())
    const name = scheme === 'github' ? 'push' : 'invoice.paid'
    const trigger = ['webhooks', 'trigger', name, '--set', 'id=in_1', '--scheme', scheme, '--to', url, ...args]
    expect(await crm(trigger, emptyHome())).toMatchObject({ exit: 0 })
    expect(await next()).toMatchObject({
      event: name,
      record_id: scheme === 'github' ? null : 'in_1',
      verified: true,
      scheme,
    })
  },
)

test.each(['unsigned', 'wrong-secret', 'altered', 'stale', 'future'])(
  'a request that is %s is refused by a listener, and an app that accepts it fails the trial',
  async (flaw) => {
    const { args } = newSecretFile()
    const { url } = await listen([...args, '--port', '0'], emptyHome())
    const trigger = ['webhooks', 'trigger', 'deal.created', '--flaw', flaw, ...args, '--to']
    const careful = await crm([...trigger, url, '-o', 'json'], emptyHome())
    expect(careful.exit).toBe(0)
    expect(JSON.parse(careful.stdout)).toMatchObject({ status: 401 })
    const careless = await startApp()
    expect(await crm([...trigger, careless.url], emptyHome())).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining(`accepted an event that was ${flaw} (200)`),
    })
  },
)

test('a missing secret file is created for the owner alone; the secret of a kept subscription is found', async () => {
  const app = await startApp()
  const file = join(tempFolder(), 'secret.txt')
  const trigger = ['webhooks', 'trigger', 'note.created', '--to', `${app.port}`, '--secret-file', file]
  expect(await crm(trigger, emptyHome())).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^Made a secret in /),
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await crm(trigger, emptyHome())).toMatchObject({ exit: 0, stderr: '' })

  const home = emptyHome()
  await serve(['--database', await memoryDatabase()], home)
  const { url, next } = await listen(['--port', String(await freePort())], home)
  const { port } = new URL(url)
  expect(await crm(['webhooks', 'trigger', 'contact.deleted', '--to', port], home)).toMatchObject({ exit: 0 })
  expect(await next()).toMatchObject({ event: 'contact.deleted', verified: true })
})

test('nothing is sent on a dry run; a missing target is 9, a refusal is 7, and an unknown event is questioned', async () => {
  const app = await startApp((response) => response.writeHead(401).end('who are you\x1b[2J'))
  const file = join(tempFolder(), 'secret.txt')
  const to = (target: string) => ['webhooks', 'trigger', 'deal.craeted', '--to', target, '--secret-file', file]
  const dry = await crm([...to(app.url), '--dry-run', '-o', 'json'], emptyHome())
  expect(JSON.parse(dry.stdout)).toMatchObject({ dry_run: true, body: { type: 'deal.craeted' } })
  expect([app.requests.length, existsSync(file)]).toEqual([0, false])
  const refused = await crm(to(app.url), emptyHome())
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining('answered 401: who are you\\x1b[2J') })
  expect(refused.stderr).toContain('crm serve sends no deal.craeted; did you mean deal.created?')
  expect(await crm(to(String(await freePort())), emptyHome())).toMatchObject({ exit: 9 })
})

test.each([
  [302, 7, /redirects \(302\) are not followed$/, /send it to the address of the redirect: --to URL$/],
  [400, 7, /answered 400$/, /--secret-file FILE$/],
  [410, 7, /answered 410$/, /give the address that accepts events: --to URL$/],
  [429, 7, /answered 429$/, /look for the cause in its log, then run again: crm webhooks trigger deal\.created --to /],
  [500, 9, /answered 500$/, /look for the cause in its log, then run again: crm webhooks trigger deal\.created --to /],
] as const)('an app that answers %i is exit %i, and the hint fits', async (status, exit, what, hint) => {
  const app = await startApp((response) => response.writeHead(status).end())
  const run = await crm(['webhooks', 'trigger', 'deal.created', '--to', app.url, ...newSecretFile().args], emptyHome())
  expect(run.exit).toBe(exit)
  const [said, next] = run.stderr.split('\n')
  expect(said).toMatch(what)
  expect(next).toMatch(hint)
})

test.each([
  [500, 9],
  [302, 7],
] as const)('a handler that answers %i to a flawed event has not refused it: exit %i', async (status, exit) => {
  const app = await startApp((response) => response.writeHead(status).end())
  const args = ['deal.created', '--flaw', 'unsigned', '--to', app.url, ...newSecretFile().args]
  const run = await crm(['webhooks', 'trigger', ...args], emptyHome())
  expect(run).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(`${status}`) })
})

test.each(['stale', 'future'])('--flaw %s is refused where no time is signed', async (flaw) => {
  const args = ['push', '--scheme', 'github', '--flaw', flaw, ...newSecretFile().args]
  expect(await crm(['webhooks', 'trigger', ...args], emptyHome())).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('which signs no time'),
  })
})

test('verify says of a saved request whether it is genuine, byte for byte, and why not', async () => {
  const { args } = newSecretFile()
  const app = await startApp()
  await crmPrints(['webhooks', 'trigger', 'contact.created', '--to', app.url, ...args], emptyHome())
  const [request] = app.requests
  const lines = Object.entries(request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const verify = (input: string, ...more: string[]) => crm(['webhooks', 'verify', ...args, ...more], emptyHome(), input)
  const body = request?.body.toString() ?? ''
  const saved = `POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}\n`
  expect(await verify(saved, '-o', 'json')).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('"verified": true'),
  })
  expect(await verify(saved.replaceAll('\r\n', '\n'))).toMatchObject({ exit: 0 })
  expect(await verify(body, ...lines.flatMap((line) => ['--header', line]))).toMatchObject({ exit: 0 })
  const refusals = [
    [saved.replace('Ada', 'Bob'), [], /^crm: signature_mismatch: /],
    [saved, ['--at', '2030-01-01T00:00:00Z'], /^crm: stale: signed \d+ s ago/],
    [saved.replace(/webhook-signature.*\r\n/, ''), [], /^crm: no_signature: /],
  ] as const
  for (const [input, more, what] of refusals) {
    const { exit, stdout, stderr } = await verify(input, ...more)
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' })
    expect(stderr).toMatch(what)
  }
  expect(await verify('{}')).toMatchObject({ exit: 2, stderr: expect.stringContaining('is not an HTTP request') })
})
