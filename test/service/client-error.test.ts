import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { TIMEOUTS } from '../../src/service/http-server.ts'
import { lastBody, openSocket, rawRequest } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

test.each([
  ['what is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
  ['a header with a NUL', 'GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n', 400, 'malformed_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'a length beside chunks, which smuggles requests past proxies',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'two hosts, of which something before the service may take the other one',
    'GET /v1/contacts HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'two hosts that are one',
    'GET / HTTP/1.1\r\nhost: x\r\nHOST: x\r\nConnection: close\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'headers of more than 16 KiB',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
])('%s is answered with a problem and the end of the connection', async (_what, bytes, status, code) => {
  const { url } = await serveForTest()
  const received = await rawRequest(url, bytes)
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(received).toMatch(/^content-type: application\/problem\+json/im)
  const body = lastBody(received)
  expect(body).toMatchObject({ type: 'about:blank', status, code })
  expect(received.toLowerCase()).toContain(`x-request-id: ${body.request_id}`)
})

/** Sends the start at once and the rest a byte at a time, for as long as the service listens. */
async function trickle(url: string, start: string, rest: string): Promise<string> {
  const socket = openSocket(url)
  socket.on('error', () => {})
  const bytes = rest.repeat(1000)[Symbol.iterator]()
  const timer = setInterval(() => socket.writable && socket.write(bytes.next().value ?? ''), 10)
  onTestFinished(() => clearInterval(timer))
  socket.write(start)
  return text(socket)
}

test('a client that trickles its headers is answered 408', async () => {
  const { url } = await serveForTest({ timeouts: { ...TIMEOUTS, headersMs: 100 } })
  const received = await trickle(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
  expect(lastBody(received)).toMatchObject({ status: 408, code: 'request_timeout' })
})

test.each([
  ['announced', 'Content-Length: 100000', 'x'],
  ['in chunks', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
])('a client that trickles its body, %s, is answered 408, and nothing is written', async (_, header, rest) => {
  const { url, key, send } = await serveForTest({ timeouts: { ...TIMEOUTS, headersMs: 100, requestMs: 200 } })
  const head = `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\n`
  const received = await trickle(url, `${head}Content-Type: application/json\r\n${header}\r\n\r\n`, rest)
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
  expect(lastBody(received)).toMatchObject({ code: 'request_timeout' })
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
})

test('a silent connection is closed', async () => {
  const { url } = await serveForTest({ timeouts: { ...TIMEOUTS, headersMs: 100 } })
  expect(await text(openSocket(url))).toMatch(/^(HTTP\/1\.1 408 |$)/)
})

test('an idle connection is closed', async () => {
  const { url } = await serveForTest({ timeouts: { ...TIMEOUTS, idleMs: 100 } })
  expect(await rawRequest(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

test('a truncated body has no effect, is not logged as a bug, and the service continues', async () => {
  const lines: object[] = []
  const { url, key, send } = await serveForTest({ log: (line) => lines.push(line) })
  const socket = openSocket(url)
  const head = `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\n`
  socket.end(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":"Ada"}`)
  await text(socket)
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
  expect(lines.filter((line) => 'error' in line)).toEqual([])
})

test('a written response is sent whole before the problem of the following bytes', async () => {
  const { url } = await serveForTest()
  const socket = openSocket(url)
  const received = text(socket)
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.once('data', () => socket.write('no request\r\n\r\n'))
  expect(await received).toMatch(/^HTTP\/1\.1 200 .*\{"status":"ok"\}HTTP\/1\.1 400 /s)
})

test('pipelined requests are answered in order', async () => {
  const { url } = await serveForTest()
  const get = (path: string, end = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${end}\r\n`
  const received = await rawRequest(url, get('/healthz') + get('/nope') + get('/healthz', 'Connection: close\r\n'))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
})
