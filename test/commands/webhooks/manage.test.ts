import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { memoryDatabase } from '../../harness/database.ts'
import { freePort } from '../../harness/free-port.ts'
import { type Env, emptyHome, tempFolder } from '../../harness/home.ts'
import { newKey, serve } from '../../harness/service.ts'
import { startApp } from '../../webhooks/app.ts'
import { newSecret } from '../../webhooks/signed.ts'
import { listening } from './listening.ts'

const json = async (argv: readonly string[], home: Env) => JSON.parse(await crmPrints([...argv, '-o', 'json'], home))

async function serviceHome() {
  const home = emptyHome()
  await serve(['--database', await memoryDatabase(), '--retry-schedule', '0'], home)
  return home
}

test('a listener states the command that prints its secret, and with it an app verifies what trigger sends', async () => {
  const { Webhook } = await import('standardwebhooks')
  const home = await serviceHome()
  const app = await startApp()
  const { written, end } = await listening(['--port', String(await freePort()), '--forward', app.url], home)
  const stated = /Its secret: crm webhooks secret (wh_\w+)/
  await expect.poll(() => written.stderr).toMatch(stated)
  const id = stated.exec(written.stderr)?.[1] ?? ''
  const secret = await crmPrints(['webhooks', 'secret'], home)
  expect(secret).toMatch(/^whsec_\S+\n$/)
  expect(await crmPrints(['webhooks', 'secret', id], home)).toBe(secret)
  const trigger = [
    'webhooks',
    'trigger',
    'deal.updated',
    '--to',
    app.url,
    '--set',
    'stage=Won',
    '--previous',
    'stage=Lead',
  ]
  const sent = await crm(trigger, home)
  expect(sent).toMatchObject({ exit: 0, stderr: expect.stringContaining('Signed with the secret of the listener at') })
  const [request] = app.requests
  const headers = request?.headers as Record<string, string>
  expect(new Webhook(secret.trim()).verify(request?.body.toString() ?? '', headers)).toMatchObject({
    data: { stage: 'Won' },
    previous: { stage: 'Lead' },
  })
  const stopped = await end()
  expect(`${written.stdout}${stopped.stderr}${sent.stdout}${sent.stderr}`).not.toContain(secret.trim())
  expect(readdirSync(join(home.HOME ?? '', '.local/state/crm/listeners'))).toEqual([])
  expect(await crmPrints(['webhooks', 'secret'], home)).toBe(secret)
})

test('trigger signs with the secret of the listener that forwards to the app, and refuses to choose between others', async () => {
  const home = emptyHome()
  const apps = [await startApp(), await startApp()]
  const files = apps.map((_, at) => join(tempFolder(), `secret${at}`))
  const secrets = files.map(() => newSecret())
  for (const [at, app] of apps.entries()) {
    writeFileSync(files[at] ?? '', `${secrets[at]}\n`)
    await listening(['--port', '0', '--secret-file', files[at] ?? '', '--forward', app.url], home)
  }
  const { Webhook } = await import('standardwebhooks')
  const trigger = (url: string) => crm(['webhooks', 'trigger', 'note.created', '--to', url], home)
  for (const [at, app] of apps.entries()) {
    expect(await trigger(app.url)).toMatchObject({ exit: 0 })
    const { body, headers } = app.requests[0] ?? {}
    new Webhook(secrets[at] ?? '').verify(body?.toString() ?? '', headers as Record<string, string>)
  }
  const other = await startApp()
  expect(await trigger(other.url)).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/2 listeners with different secrets run: http.*\n.*--secret-file FILE/),
  })
})

test('--print-secret prints the secret that a listener of the same flags verifies with, and ends', async () => {
  const secret = newSecret()
  const file = join(tempFolder(), 'secret')
  writeFileSync(file, `${secret}\n`)
  const home = emptyHome()
  expect(await crmPrints(['listen', '--print-secret', '--secret-file', file], home)).toBe(`${secret}\n`)
  await listening(['--port', '0', '--secret-file', file], home)
  expect(await crmPrints(['webhooks', 'secret'], home)).toBe(`${secret}\n`)
  const app = await startApp()
  expect(await crm(['webhooks', 'trigger', 'contact.created', '--to', app.url], home)).toMatchObject({ exit: 0 })
})

test('a secret that is not kept here is 6, with the next command; several are 2, with their ids', async () => {
  const home = await serviceHome()
  expect(await crm(['webhooks', 'secret'], home)).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('crm listen'),
  })
  expect(await crm(['webhooks', 'secret', 'wh_0000000000x'], home)).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('crm webhooks rotate wh_0000000000x'),
  })
  for (const path of ['a', 'b'])
    await crmPrints(['webhooks', 'create', '--url', `http://127.0.0.1:9/${path}`, '--events', '*'], home)
  expect(await crm(['webhooks', 'secret'], home)).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(/several secrets: of wh_\w+, wh_\w+\n {2}crm webhooks secret wh_/),
  })
})

test('a subscription is disabled, enabled, given a new secret, and its deliveries are listed and sent again', async () => {
  const home = await serviceHome()
  const app = await startApp()
  const made = await json(['webhooks', 'create', '--url', app.url, '--events', '*'], home)
  const { id } = made
  expect(await json(['webhooks', 'disable', id], home)).toMatchObject({ id, status: 'disabled' })
  expect(await json(['webhooks', 'enable', id], home)).toMatchObject({ id, status: 'enabled' })
  const { secret } = await json(['webhooks', 'rotate', id], home)
  expect(secret).not.toBe(made.secret)
  expect(await crmPrints(['webhooks', 'secret', id], home)).toBe(`${secret}\n`)
  const { event_id } = await json(['webhooks', 'test', id], home)
  await app.has(1)
  const delivered = () => json(['webhooks', 'deliveries', id], home)
  await expect.poll(delivered).toMatchObject([{ webhook_id: id, event_id, last_status: 200 }])
  expect(await json(['webhooks', 'resend', id, event_id], home)).toEqual({ webhook_id: id, event_id })
  await app.has(2)
  expect(app.requests.map(({ headers }) => headers['webhook-id'])).toEqual([event_id, event_id])
  expect(await crm(['webhooks', 'deliveries', 'wh_0000000000x'], home)).toMatchObject({ exit: 6 })
  expect(await crm(['webhooks', 'resend', id, 'evt_0000000000x'], home)).toMatchObject({ exit: 6 })
})

test('all deliveries are listed, and all failed ones sent again, although the server shows ten with a subscription', async () => {
  const home = await serviceHome()
  const app = await startApp((response) => response.writeHead(500).end())
  const { id } = await json(['webhooks', 'create', '--url', app.url, '--events', '*'], home)
  const { id: other } = await json(['webhooks', 'create', '--url', app.url, '--events', 'deal.*'], home)
  for (let at = 0; at < 12; at++) await json(['webhooks', 'test', id], home)
  await json(['webhooks', 'test', other], home)
  await app.has(13)
  const failed = (...words: string[]) =>
    json(['webhooks', 'deliveries', ...words, '--where', '.state == "failed"', '--fields', 'event_id'], home)
  await expect.poll(() => failed(id)).toHaveLength(12)
  await expect.poll(() => failed()).toHaveLength(13)
  await crmPrints(['config', 'set', 'page_size', '5'], home)
  expect(await failed(id)).toHaveLength(12)
  expect(await crm(['webhooks', 'deliveries', id, '--limit', '11', '-o', 'jsonl'], home)).toMatchObject({
    stderr: expect.stringContaining('The first 11; there are more'),
  })
  const events = (await failed(id)).map(({ event_id }: { event_id: string }) => event_id)
  const sent = await json(['webhooks', 'resend', id, '--failed'], home)
  expect(sent.map(({ event_id }: { event_id: string }) => event_id)).toEqual(events.toReversed())
  await app.has(25)
  expect(await crm(['webhooks', 'resend', id], home)).toMatchObject({ exit: 2 })
})

test('what wait and listen subscribed for their run is deleted at the end, and what they keep stays', async () => {
  const home = await serviceHome()
  const list = () => json(['webhooks', 'list'], home)
  const wait = ['webhooks', 'wait', 'contact.created', '--port', '0', '--subscribe', '--timeout', '50ms']
  const late = await crm(wait, home)
  expect(late).toMatchObject({
    exit: 12,
    stderr: expect.stringMatching(/Deleted the subscription wh_\w+, which was made/),
  })
  const passing = await listening(['--port', '0', '--subscribe'], home)
  expect(await list()).toHaveLength(1)
  expect(await passing.end()).toMatchObject({ exit: 0, stderr: expect.stringContaining('Deleted the subscription') })
  expect(await list()).toEqual([])
  const kept = await listening(['--port', String(await freePort())], home)
  await kept.end()
  expect(await list()).toHaveLength(1)
})

test('a whole event is sent as it is, with a new id; one of another name is refused', async () => {
  const home = emptyHome()
  const app = await startApp()
  const file = join(tempFolder(), 'event.json')
  writeFileSync(file, '{"type":"deal.created","timestamp":"2026-01-01T00:00:00Z","data":{"id":"deal_1","amount":7}}')
  const trigger = (name: string, ...more: string[]) =>
    crm(
      ['webhooks', 'trigger', name, '--data', file, '--to', app.url, '--secret-file', `${file}.secret`, ...more],
      home,
    )
  expect(await trigger('deal.created', '--set', 'stage=Won')).toMatchObject({ exit: 0 })
  expect(JSON.parse(app.requests[0]?.body.toString() ?? '')).toEqual({
    type: 'deal.created',
    timestamp: '2026-01-01T00:00:00Z',
    data: { id: 'deal_1', amount: 7, stage: 'Won' },
  })
  expect(await trigger('deal.updated')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--data holds "deal.created", and the event to send is deal.updated'),
  })
  expect(await trigger('deal.created', '--previous', 'stage=Lead')).toMatchObject({ exit: 2 })
})

test.each([
  [['deliveries', 'wh_1'], 'deliveries'],
  [['deliveries'], 'deliveries'],
  [['resend', 'wh_1', 'evt_1'], 'resend'],
  [['resend', 'wh_1', '--failed'], 'resend'],
  [['rotate', 'wh_1'], 'rotate'],
])(
  'crm webhooks %j with a connector that lacks it is exit 7, which names it, before anything is sent',
  async (words, lacking) => {
    const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [] }))
    const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey(), CRM_CONNECTOR: 'contract' })
    expect(await crm(['webhooks', ...words], env)).toMatchObject({
      exit: 7,
      stderr: `crm: contract (connector) has no ${lacking} of webhooks\n  crm connectors show contract lists what it offers\n`,
    })
    expect(seen).toEqual([])
  },
)
