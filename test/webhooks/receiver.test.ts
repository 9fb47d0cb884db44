import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Received } from '../../src/core/webhook-events.ts'
import type { Trust } from '../../src/webhooks/receive.ts'
import { createSeenIds } from '../../src/webhooks/receive.ts'
import { RECEIVER_TIMEOUTS, type ReceiverOptions, startReceiver } from '../../src/webhooks/receiver.ts'
import { prepareSecrets } from '../../src/webhooks/verify.ts'
import { newSecret, signed } from './signed.ts'

const SECRET = newSecret()
const EVENT = '{"type":"contact.created","timestamp":"2026-01-01T00:00:00Z","data":{"id":"con_1"}}'

function trust(texts: readonly string[] | 'unverified'): Trust {
  const secrets = texts === 'unverified' ? texts : prepareSecrets(texts)
  return { secrets, subscriptionId: 'wh_1', seenIds: createSeenIds() }
}

async function receiverForTest(options: Partial<ReceiverOptions> = {}) {
  const receivedCount: Received[] = []
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/hook',
    now: Date.now,
    take: async (received) => {
      receivedCount.push(received)
      return undefined
    },
    timeouts: { ...RECEIVER_TIMEOUTS, closeMs: 100 },
    ...options,
  })
  onTestFinished(() => receiver.close())
  return { receiver, receivedCount, url: receiver.url }
}

async function openReceiver(options: Partial<ReceiverOptions> = {}) {
  const opened = await receiverForTest(options)
  opened.receiver.open(trust([SECRET]))
  return opened
}

async function post(url: string, init: RequestInit = signed(SECRET, EVENT) as RequestInit) {
  const response = await fetch(url, { method: 'POST', ...init })
  return { status: response.status, said: await response.text(), headers: response.headers }
}

/** Sends raw bytes; resolves with the whole response. */
async function raw(url: string, ...parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  for (const part of parts) socket.write(part, 'latin1')
  return await text(socket)
}

function headLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

test('a genuine delivery is kept and then acknowledged', async () => {
  const { url, receivedCount } = await openReceiver()
  expect(await post(url)).toMatchObject({ status: 204, said: '' })
  expect(receivedCount).toMatchObject([
    {
      type: 'event',
      id: 'evt_1',
      name: 'contact.created',
      recordId: 'con_1',
      isVerified: true,
      isDuplicate: false,
      scheme: 'standard-webhooks',
      subscriptionId: 'wh_1',
      body: { type: 'json', text: EVENT },
    },
  ])
})

test('a request is forwarded whole: the query, the bytes, and the end-to-end headers', async () => {
  const { url, receivedCount } = await openReceiver()
  const { headers } = signed(SECRET, EVENT)
  const more = `Connection: close, X-Hop\r\nX-Hop: 1\r\nX-Twice: 1\r\nX-Twice: 2\r\nContent-Length: ${EVENT.length}\r\n`
  await raw(url, `POST /hook?a=1&a=2 HTTP/1.1\r\nHost: x\r\n${more}${headLines(headers)}\r\n${EVENT}`)
  expect(receivedCount).toMatchObject([{ delivery: { url: `${url}?a=1&a=2`, bytes: Buffer.from(EVENT) } }])
  const [event] = receivedCount
  const expected = [['X-Twice', '1'], ['X-Twice', '2'], ...Object.entries(headers)]
  expect(event?.type === 'event' && event.delivery.headers).toEqual(expected)
})

test('the sender receives the outcome of the event when it is not success', async () => {
  const { url } = await openReceiver({ take: async () => ({ status: 503, retryAfter: '7' }) })
  const { status, headers } = await post(url)
  expect([status, headers.get('retry-after')]).toEqual([503, '7'])
})

test('a delivery is not acknowledged before it is kept', async () => {
  const kept = Promise.withResolvers<undefined>()
  const started = Promise.withResolvers<void>()
  const take = () => {
    started.resolve()
    return kept.promise
  }
  const { url } = await openReceiver({ take })
  let isAnswered = false
  const answer = post(url).finally(() => {
    isAnswered = true
  })
  await started.promise
  expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204)
  expect(isAnswered).toBe(false)
  kept.resolve(undefined)
  expect(await answer).toMatchObject({ status: 204 })
})

test('a repeated id is marked as a duplicate and acknowledged', async () => {
  const { url, receivedCount } = await openReceiver()
  await post(url)
  expect(await post(url)).toMatchObject({ status: 204 })
  expect(receivedCount).toMatchObject([{ isDuplicate: false }, { isDuplicate: true }])
})

test('an id counts as seen only after a genuine delivery with it', async () => {
  const { url, receivedCount } = await openReceiver()
  const { headers } = signed(newSecret(), EVENT)
  expect(await post(url, { headers, body: EVENT })).toMatchObject({ status: 401, said: 'signature_mismatch\n' })
  await post(url)
  expect(receivedCount).toMatchObject([{ type: 'rejected' }, { type: 'event', isDuplicate: false }])
})

test('a rejected request is described by its header names, without the query and the body', async () => {
  const { url, receivedCount } = await openReceiver()
  const { headers } = signed(newSecret(), EVENT)
  await post(`${url}?token=hush`, { headers, body: EVENT })
  expect(receivedCount).toMatchObject([{ reason: 'signature_mismatch', status: 401, method: 'POST', path: '/hook' }])
  const [received] = receivedCount
  expect(received).toMatchObject({ headerNames: expect.arrayContaining(['webhook-signature']) })
  const shown = JSON.stringify(received)
  for (const hidden of ['hush', 'con_1', headers['webhook-signature'] ?? '']) expect(shown).not.toContain(hidden)
})

test('requests wait until the secret is known', async () => {
  const { receiver, url } = await receiverForTest()
  const answer = post(url)
  receiver.open(trust([SECRET]))
  expect(await answer).toMatchObject({ status: 204 })
})

test('without verification every request is accepted and marked', async () => {
  const { receiver, url, receivedCount } = await receiverForTest()
  receiver.open(trust('unverified'))
  expect(await post(url, { body: 'a=1', headers: { 'webhook-id': 'evt.1' } })).toMatchObject({ status: 204 })
  expect(await post(url)).toMatchObject({ status: 204 })
  expect(receivedCount).toMatchObject([
    { isVerified: false, id: undefined, name: undefined, body: { type: 'text', text: 'a=1' } },
    { isVerified: false, id: 'evt_1', name: 'contact.created' },
  ])
})

describe('bodies', () => {
  test('a chunked body is assembled', async () => {
    const { url } = await openReceiver()
    const { headers, body } = signed(SECRET, EVENT)
    const [first, last] = [body.subarray(0, 10).toString(), body.subarray(10).toString()]
    const chunks = [first, last, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
    const head = `POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n`
    expect(await raw(url, `${head}${headLines(headers)}\r\n`, chunks)).toMatch(/^HTTP\/1\.1 204 /)
  })

  test('bytes that are not text are verified unchanged', async () => {
    const { url, receivedCount } = await openReceiver()
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    expect(await post(url, signed(SECRET, bytes) as RequestInit)).toMatchObject({ status: 204 })
    expect(receivedCount).toMatchObject([{ isVerified: true, body: { type: 'bytes', bytes } }])
  })

  test('1 MiB is accepted, one byte more is rejected, and the sender receives the reason', async () => {
    const { url, receivedCount } = await openReceiver()
    const body = Buffer.alloc(1024 * 1024, 0x20)
    expect(await post(url, signed(SECRET, body) as RequestInit)).toMatchObject({ status: 204 })
    const larger = Buffer.alloc(1024 * 1024 + 1, 0x20)
    expect(await post(url, signed(SECRET, larger) as RequestInit)).toMatchObject({ status: 413, said: 'too_large\n' })
    expect(receivedCount).toMatchObject([{ type: 'event' }, { reason: 'too_large' }])
  })

  test('a Content-Length of 100 MB is rejected before the body is sent', async () => {
    const { url } = await openReceiver()
    const head = 'POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n'
    expect(await raw(url, head)).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/s)
  })

  test('a compressed body is rejected', async () => {
    const { url } = await openReceiver()
    const headers = { ...signed(SECRET, EVENT).headers, 'content-encoding': 'gzip' }
    expect(await post(url, { headers, body: EVENT })).toMatchObject({ status: 415, said: 'encoded_body\n' })
    const plain = { ...signed(SECRET, EVENT).headers, 'content-encoding': 'Identity' }
    expect(await post(url, { headers: plain, body: EVENT })).toMatchObject({ status: 204 })
  })

  test('a body that does not arrive in time is rejected', async () => {
    const { url, receivedCount } = await openReceiver({ timeouts: { ...RECEIVER_TIMEOUTS, bodyMs: 50 } })
    const head = 'POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{'
    expect(await raw(url, head)).toMatch(/^HTTP\/1\.1 408 /)
    expect(receivedCount).toMatchObject([{ reason: 'too_slow' }])
  })

  test('a truncated body is reported', async () => {
    const { url, receivedCount } = await openReceiver()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(() => receivedCount).toMatchObject([{ reason: 'malformed_request' }])
  })
})

describe('requests that are not deliveries', () => {
  test('another method is 405 with Allow, another path is 404', async () => {
    const { url, receivedCount } = await openReceiver()
    const got = await fetch(url)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await fetch(new URL('/hook/', url), { method: 'POST' })).status).toBe(404)
    expect(receivedCount).toMatchObject([{ reason: 'wrong_method' }, { reason: 'wrong_path', path: '/hook/' }])
  })

  test('the handshake of CloudEvents is answered', async () => {
    const { url, receivedCount } = await openReceiver()
    const headers = { 'webhook-request-origin': 'events.example.test' }
    const answer = await fetch(url, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('webhook-allowed-origin')).toBe('events.example.test')
    expect(answer.headers.get('webhook-allowed-rate')).toBe('*')
    expect(receivedCount).toEqual([])
  })

  test('two Host headers are rejected', async () => {
    const { url, receivedCount } = await openReceiver()
    const request = 'POST /hook HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'
    expect(await raw(url, request)).toMatch(/^HTTP\/1\.1 400 .*malformed_request\n/s)
    expect(receivedCount).toMatchObject([{ reason: 'malformed_request', status: 400 }])
  })

  test('a signature header sent twice is rejected', async () => {
    const { url } = await openReceiver()
    const { headers } = signed(SECRET, EVENT)
    const twice = `${headLines(headers)}webhook-id: evt_2\r\n`
    const head = `POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${EVENT.length}\r\n`
    expect(await raw(url, `${head}${twice}\r\n${EVENT}`)).toMatch(/^HTTP\/1\.1 401 .*malformed_header\n/s)
  })

  test.each([
    ['nonsense\r\n\r\n', 400, 'malformed_request'],
    [`POST /hook HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400, 'malformed_request'],
    [
      'POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
  ])('%.40j is %i', async (bytes, status, reason) => {
    const { url, receivedCount } = await openReceiver()
    expect(await raw(url, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(receivedCount).toMatchObject([{ reason, status, method: undefined }])
  })

  test('headers that do not arrive in time are answered with 408', async () => {
    const { url, receivedCount } = await openReceiver({ timeouts: { ...RECEIVER_TIMEOUTS, headersMs: 50 } })
    expect(await raw(url, 'POST /hook HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 408 /)
    expect(receivedCount).toMatchObject([{ reason: 'too_slow', status: 408 }])
  })
})

describe('shutdown and failure', () => {
  test('a port in use is named, with the command to type', async () => {
    const { url } = await openReceiver()
    const port = Number(new URL(url).port)
    await expect(receiverForTest({ port })).rejects.toMatchObject({
      code: 'machine',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
      details: { repeat: { flag: '--port', value: String(port + 1) } },
    })
  })

  test('an event that cannot be kept is not acknowledged, and the failure is reported', async () => {
    const failure = new Error('disk full')
    const { receiver, url } = await openReceiver({ take: () => Promise.reject(failure) })
    await expect(post(url)).rejects.toThrow('fetch failed')
    await expect(receiver.failed).rejects.toBe(failure)
  })

  test('a delivery in progress is acknowledged, and one whose write hangs is disconnected unacknowledged', async () => {
    const kept = Promise.withResolvers<undefined>()
    const starts: string[] = []
    const { receiver, url } = await openReceiver({
      take: (received) => {
        starts.push((received.type === 'event' && received.id) || '')
        return starts.length === 1 ? kept.promise : new Promise(() => {})
      },
    })
    const first = post(url)
    await expect.poll(() => starts.length).toBe(1)
    const second = post(url, signed(SECRET, EVENT, { id: 'evt_2' }) as RequestInit).catch((error) => error.message)
    await expect.poll(() => starts.length).toBe(2)
    const closed = receiver.close()
    kept.resolve(undefined)
    expect(await first).toMatchObject({ status: 204 })
    await closed
    expect(await second).toBe('fetch failed')
    await expect(fetch(url)).rejects.toThrow()
  })
})
