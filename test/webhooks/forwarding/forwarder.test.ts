import { expect, onTestFinished, test } from 'vitest'
import type { ForwardResult } from '../../../src/core/webhook-events.ts'
import type { Forwarder } from '../../../src/webhooks/forwarding/forwarder.ts'
import { type ForwardRules, startForwarder } from '../../../src/webhooks/forwarding/start-forwarder.ts'
import { freePort } from '../../harness/free-port.ts'
import { startApp } from '../app.ts'
import { sampleEvent } from '../sample-event.ts'

function forwarderForTest(rules: Partial<ForwardRules>): {
  forwarder: Forwarder
  hands: ForwardResult[]
  said: string[]
} {
  const hands: ForwardResult[] = []
  const said: string[] = []
  const forwarder = startForwarder({
    forwards: [],
    commands: [],
    timeoutMs: 2000,
    retries: 0,
    showsResponse: false,
    passesDuplicates: false,
    env: { PATH: process.env.PATH },
    now: Date.now,
    input: ({ id }) => `${JSON.stringify({ id })}\n`,
    say: (line) => void said.push(line),
    show: async (hand) => void hands.push(hand),
    ...rules,
  })
  if (!forwarder) throw new Error('no target')
  onTestFinished(async () => void (await forwarder.close()))
  return { forwarder, hands, said }
}

const to = (url: string, ...globs: string[]) => ({ forwards: [{ url: new URL(url), globs }] })
const node = (script: string) => ({ name: 'node', words: [process.execPath, '-e', script] as [string, ...string[]] })

test('the app receives method, path, query, headers and bytes unchanged, and its status is returned', async () => {
  const app = await startApp((response) => response.writeHead(202).end('kept'))
  const bytes = Buffer.from([0x7b, 0xff, 0x0a, 0x7d])
  const headers = [
    ['Content-Type', 'application/json; charset=x'],
    ['X-Twice', '1'],
    ['x-twice', '2'],
  ] as const
  const delivery = { url: 'http://127.0.0.1:4242/hook?a=1&a=2', headers, bytes }
  const { forwarder, hands } = forwarderForTest({ ...to(app.url), showsResponse: true })
  expect(await forwarder.forwardNow({ ...sampleEvent('evt_1'), delivery })).toEqual({
    status: 202,
    retryAfter: undefined,
  })
  const [request] = app.requests
  expect(request).toMatchObject({ method: 'POST', url: '/hook?a=1&a=2', body: bytes })
  const own = ['Host', `127.0.0.1:${app.port}`, 'Content-Length', '4', 'Connection', 'keep-alive']
  expect(request?.rawHeaders).toEqual([...headers.flat(), ...own])
  expect(hands).toMatchObject([{ target: app.url, status: 202, failure: undefined, response: 'kept', attempt: 1 }])
})

test('addresses that differ only in a credential have different names in results, and one address has one', async () => {
  const app = await startApp((response, { url }) => response.writeHead(url?.includes('=a&') ? 500 : 200).end())
  const urls = ['?token=a', '?token=b', '?token=a'].map((query) => new URL(`${app.url}${query}`))
  const { forwarder, hands } = forwarderForTest({
    forwards: urls.map((url) => ({ url, globs: [] })),
    passesDuplicates: true,
  })
  await forwarder.forwardNow(sampleEvent('evt_1'))
  const hidden = `${app.url}?token=[redacted]`
  expect(hands.map(({ target, status }) => `${status} ${target}`).toSorted()).toEqual([
    `200 ${hidden} (2)`,
    `500 ${hidden}`,
    `500 ${hidden}`,
  ])
})

test('a URL with a path keeps it, and the query of the event is added to its own', async () => {
  const app = await startApp()
  const { forwarder } = forwarderForTest(to(`${app.url}api/events?k=v`))
  await forwarder.forwardNow(sampleEvent('evt_1'))
  expect(app.requests).toMatchObject([{ url: '/api/events?k=v&a=1' }])
})

test.each(['localhost', '127.0.0.1', '[::1]'])('%s is found on either loopback address', async (name) => {
  for (const host of ['127.0.0.1', '::1']) {
    const app = await startApp(undefined, host)
    const { forwarder } = forwarderForTest(to(`http://${name}:${app.port}`))
    expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 200 })
    expect(app.requests[0]?.headers.host).toBe(`${name}:${app.port}`)
  }
})

test('a redirect is not followed, and the sender receives the answer of the app', async () => {
  const statuses = [302, 500, 503, 410]
  const app = await startApp((response, _, index) =>
    response.writeHead(statuses[index] ?? 200, { location: '/x', 'retry-after': '9' }).end(),
  )
  const { forwarder, hands } = forwarderForTest(to(app.url))
  for (const [index, status] of statuses.entries()) {
    expect(await forwarder.forwardNow(sampleEvent(`evt_${index}`))).toEqual({ status, retryAfter: '9' })
  }
  expect(app.requests.length).toBe(4)
  expect(hands.map(({ failure }) => failure)).toEqual([
    'redirects (302) are not followed',
    'answered 500',
    'answered 503',
    'answered 410',
  ])
})

test('an app that is down, closes early or is slow gives 502, 502 and 504, each with its reason', async () => {
  const closing = await startApp((response) => response.destroy())
  const slow = await startApp(() => {})
  for (const [url, status, failure] of [
    [`http://localhost:${await freePort()}/`, 502, 'nothing listens there (127.0.0.1 and ::1 tried)'],
    [closing.url, 502, 'it closed the connection without an answer'],
    [slow.url, 504, 'no answer within 0.2 s'],
  ] as const) {
    const { forwarder, hands } = forwarderForTest({ ...to(url), timeoutMs: 200 })
    expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status })
    expect(hands).toMatchObject([{ status: undefined, failure }])
  }
})

test('an event survives an idle connection that the app has closed', async () => {
  const app = await startApp((response) =>
    response.writeHead(200, { connection: 'keep-alive' }).end(() => {
      setImmediate(() => response.socket?.destroy())
    }),
  )
  const { forwarder } = forwarderForTest(to(app.url))
  for (let at = 0; at < 20; at++)
    expect(await forwarder.forwardNow(sampleEvent(`evt_${at}`))).toMatchObject({ status: 200 })
})

test('events go to every matching target; a failing target decides the answer', async () => {
  const contacts = await startApp()
  const all = await startApp((response) => response.writeHead(500).end())
  const forwards = [...to(contacts.url, 'contact.*').forwards, ...to(all.url).forwards]
  const { forwarder } = forwarderForTest({ forwards })
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 500 })
  expect(
    await forwarder.forwardNow(sampleEvent('evt_2', { bytes: Buffer.from('{"type":"deal.created"}') })),
  ).toMatchObject({
    status: 500,
  })
  expect([contacts.requests.length, all.requests.length]).toEqual([1, 2])
  const none = forwarderForTest(to(contacts.url, 'note.*'))
  expect(await none.forwarder.forwardNow(sampleEvent('evt_1'))).toBeUndefined()
})

test('a repeated event is forwarded again only if it failed before', async () => {
  const app = await startApp((response, _, index) => response.writeHead(index === 0 ? 500 : 200).end())
  const { forwarder } = forwarderForTest(to(app.url))
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 500 })
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 200 })
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 200 })
  expect(app.requests.length).toBe(2)
  const again = forwarderForTest({ ...to(app.url), passesDuplicates: true })
  for (let at = 0; at < 2; at++) await again.forwarder.forwardNow(sampleEvent('evt_1'))
  expect(app.requests.length).toBe(4)
})

test('a repeated event waits for the attempt in progress', async () => {
  const busy = Promise.withResolvers<void>()
  const app = await startApp((response) => void busy.promise.then(() => response.writeHead(201).end()))
  const { forwarder } = forwarderForTest(to(app.url))
  const answers = [forwarder.forwardNow(sampleEvent('evt_1')), forwarder.forwardNow(sampleEvent('evt_1'))]
  await app.has(1)
  busy.resolve()
  expect(await Promise.all(answers)).toMatchObject([{ status: 201 }, { status: 201 }])
  expect(app.requests.length).toBe(1)
})

test('forwardLater retries in the order of each record, and close returns the number not accepted', async () => {
  const app = await startApp((response, { url }, index) => {
    response.writeHead(url === '/hook?a=1' && index === 0 ? 500 : 200).end()
  })
  const { forwarder, hands } = forwarderForTest({ ...to(app.url), retries: 1 })
  const ofRecord = (id: string) => ({ ...sampleEvent(id), recordId: 'con_1' })
  await forwarder.forwardLater(ofRecord('evt_1'))
  await forwarder.forwardLater(ofRecord('evt_2'))
  await forwarder.settled()
  expect(hands.map(({ id, attempt, status, retryInMs }) => [id, attempt, status, retryInMs])).toEqual([
    ['evt_1', 1, 500, 1000],
    ['evt_1', 2, 200, undefined],
    ['evt_2', 1, 200, undefined],
  ])
  expect(await forwarder.close()).toBe(0)
})

test('close interrupts a pause between two attempts and counts what was not accepted', async () => {
  const app = await startApp((response) => response.writeHead(500).end())
  const { forwarder } = forwarderForTest({ ...to(app.url), retries: 9 })
  await forwarder.forwardLater(sampleEvent('evt_1'))
  await app.has(1)
  expect(await forwarder.close()).toBe(1)
  expect(app.requests.length).toBe(1)
})

test('a command gets the event on stdin, its output is reported, and its exit code decides', async () => {
  const ok = forwarderForTest({ commands: [node('process.stdin.pipe(process.stdout)')] })
  expect(await ok.forwarder.forwardNow(sampleEvent('evt_$(id)'))).toEqual({ status: 204, retryAfter: undefined })
  expect(ok.said).toEqual(['{"id":"evt_$(id)"}'])
  expect(ok.hands).toMatchObject([{ type: 'executed', status: 0, failure: undefined }])
  const failing = forwarderForTest({ commands: [node('process.exit(3)')] })
  expect(await failing.forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 500 })
  expect(failing.hands).toMatchObject([{ status: 3, failure: 'exit 3' }])
})

test('a command that does not end in time is killed with its child processes', async () => {
  const script = "require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' })"
  const { forwarder, hands } = forwarderForTest({ commands: [node(script)], timeoutMs: 300 })
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toMatchObject({ status: 504 })
  expect(hands).toMatchObject([{ failure: 'killed after 0.3 s' }])
})

test('a command that no longer exists is an ordinary failure with its reason', async () => {
  const { forwarder, hands } = forwarderForTest({ commands: [{ name: 'nix', words: ['/nowhere/nix'] }] })
  expect(await forwarder.forwardNow(sampleEvent('evt_1'))).toEqual({ status: 500, retryAfter: undefined })
  expect(hands).toMatchObject([{ status: undefined, failure: 'cannot run /nowhere/nix: no such program' }])
})
