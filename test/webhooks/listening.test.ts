import { createHmac } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startForwarder } from '../../src/webhooks/forwarding/start-forwarder.ts'
import { type ListeningOptions, startListening } from '../../src/webhooks/listening.ts'
import { readAttempts, readEvents } from '../../src/webhooks/log/read-events.ts'
import { KEEP_ALL } from '../../src/webhooks/log/segments.ts'
import { openPublicTunnel } from '../../src/webhooks/tunnel.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { sample } from '../harness/sample.ts'
import { startApp } from './app.ts'
import { newSecret, signed } from './signed.ts'

async function listeningForTest(secret: string, options: Partial<ListeningOptions> = {}) {
  const folder = join(await tempFolder(), 'events')
  const listening = await startListening({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    folder,
    keep: KEEP_ALL,
    now: Date.now,
    isWanted: async () => true,
    show: async () => {},
    ...options,
  })
  onTestFinished(async () => void (await listening.close()))
  await listening.open({ secrets: [secret], subscriptionId: undefined })
  return { listening, folder, url: listening.url }
}

function forwardTo(url: string): NonNullable<ListeningOptions['openForwarder']> {
  return async (keep) =>
    startForwarder({
      forwards: [{ url: new URL(url), globs: [] }],
      commands: [],
      timeoutMs: 5000,
      retries: 0,
      showsResponse: false,
      passesDuplicates: false,
      env: {},
      now: Date.now,
      input: () => '',
      say: () => {},
      show: async () => {},
      keep,
    })
}

interface Example {
  readonly name: string
  readonly examples: readonly object[]
}

test('the bodies of several hundred GitHub events reach the app and the log byte for byte', async () => {
  const examples: readonly Example[] = createRequire(import.meta.url)('@octokit/webhooks-examples')
  const all = examples.flatMap(({ name, examples: some }) =>
    // JSON.stringify would change both the spacing and the escapes.
    some.map((example) => ({
      name,
      body: Buffer.from(`${JSON.stringify(example, null, 3).replaceAll('/', '\\/')}\r\n`),
    })),
  )
  expect(all.length).toBeGreaterThan(200)
  const bodies = sample(all, 10)
  const app = await startApp()
  const { folder, url } = await listeningForTest('hush', { openForwarder: forwardTo(app.url) })
  for (const [index, { name, body }] of bodies.entries()) {
    const headers = {
      'content-type': 'application/json',
      'x-github-delivery': `d-${index}`,
      'x-github-event': name,
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`,
    }
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  }
  expect(app.requests.map(({ body }) => body)).toEqual(bodies.map(({ body }) => body))
  const kept: Buffer[] = []
  for await (const events of readEvents(folder, { order: 'oldest first' })) {
    kept.push(...events.map(({ delivery }) => delivery.bytes))
  }
  expect(kept).toEqual(bodies.map(({ body }) => body))
})

test('an event is forwarded only when it is on disk', async () => {
  const app = await startApp()
  const secret = newSecret()
  const { url } = await listeningForTest(secret, { openForwarder: forwardTo(app.url) })
  const handle = await open('/dev/null')
  const handles: { datasync(): Promise<void> } = Object.getPrototypeOf(handle)
  await handle.close()
  const slow = Promise.withResolvers<void>()
  const datasync = vi.spyOn(handles, 'datasync').mockImplementation(() => slow.promise)
  onTestFinished(() => datasync.mockRestore())
  const answered = fetch(url, { method: 'POST', ...signed(secret, '{}') })
  await vi.waitFor(() => expect(datasync).toHaveBeenCalled())
  await delay(100)
  expect(app.requests).toEqual([])
  slow.resolve()
  expect((await answered).ok).toBe(true)
  expect(app.requests).toHaveLength(1)
})

test('the sender is answered only when the attempt is on disk, with what the app took', async () => {
  const app = await startApp((response) => response.writeHead(500).end('no'))
  const secret = newSecret()
  const { folder, url } = await listeningForTest(secret, { openForwarder: forwardTo(app.url) })
  const handle = await open('/dev/null')
  const handles: { datasync(): Promise<void> } = Object.getPrototypeOf(handle)
  await handle.close()
  const slow = Promise.withResolvers<void>()
  const datasync = vi.spyOn(handles, 'datasync').mockImplementationOnce(async () => {})
  datasync.mockImplementation(() => slow.promise)
  onTestFinished(() => datasync.mockRestore())
  let isAnswered = false
  const answered = fetch(url, { method: 'POST', ...signed(secret, '{}') }).finally(() => {
    isAnswered = true
  })
  await vi.waitFor(() => expect(datasync).toHaveBeenCalledTimes(2))
  await delay(50)
  expect(isAnswered).toBe(false)
  slow.resolve()
  expect((await answered).status).toBe(500)
  const attempts: unknown[] = []
  for await (const some of readAttempts(folder)) attempts.push(...some)
  expect(attempts).toMatchObject([{ id: 'evt_1', status: 500, failure: 'answered 500', response: 'no' }])
})

test('an event that is not shown is kept but not forwarded', async () => {
  const app = await startApp()
  const secret = newSecret()
  const { folder, url } = await listeningForTest(secret, {
    isWanted: async () => false,
    openForwarder: forwardTo(app.url),
  })
  expect((await fetch(url, { method: 'POST', ...signed(secret, '{}') })).status).toBe(204)
  const kept: unknown[] = []
  for await (const events of readEvents(folder, { order: 'oldest first' })) kept.push(...events)
  expect(kept).toHaveLength(1)
  expect(app.requests).toEqual([])
})

test('headers that would inject into a message never reach the app or the log', async () => {
  const app = await startApp()
  const secret = newSecret()
  const { folder, url } = await listeningForTest(secret, { openForwarder: forwardTo(app.url) })
  const { connect } = await import('node:net')
  const { text } = await import('node:stream/consumers')
  const { headers, body } = signed(secret, '{}')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  for (const [target, more] of [
    ['/', 'X-A: a\rb\r\n'],
    ['/', 'X-A: a\u0000b\r\n'],
    ['/', 'Transfer-Encoding: chunked\r\n'],
    ['/../../etc/passwd', ''],
    ['http://other.test/', ''],
  ]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`
    socket.write(`${head}${more}${lines.join('')}\r\n${body}`, 'latin1')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 (400|404) /)
  }
  expect(app.requests).toEqual([])
  for await (const events of readEvents(folder, { order: 'oldest first' })) expect(events).toEqual([])
})

test('a tunnel gets the environment of the command without the key', async () => {
  const said: string[] = []
  const { url, stop } = await openPublicTunnel({
    name: 'tunnel',
    words: ['sh', '-c', 'env; echo https://abc.example; sleep 60'],
    env: { PATH: process.env.PATH, CRM_API_KEY: 'crm_key_of_nobody', CRM_PROFILE: 'staging' },
    say: (line) => said.push(line),
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  })
  await stop()
  expect(url.href).toBe('https://abc.example/')
  expect(said).toContain('CRM_PROFILE=staging')
  expect(said.join('\n')).not.toContain('CRM_API_KEY')
})
