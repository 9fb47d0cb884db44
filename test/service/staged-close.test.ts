import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { lastBody } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

const MEBIBYTE = 1024 * 1024
const TOO_LARGE = Buffer.alloc(20 * MEBIBYTE, 'x')

/** A socket that stays open for writing after the last response. */
function halfOpen(url: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  return socket
}

function head(key: string, ...lines: readonly string[]): string {
  const all = [
    'POST /v1/contacts HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
  ]
  return `${[...all, ...lines].join('\r\n')}\r\n\r\n`
}

function inChunks(): Readable {
  return Readable.from(Array.from({ length: 20 }, () => TOO_LARGE.subarray(0, MEBIBYTE)))
}

test.each([
  ['announced', () => TOO_LARGE],
  ['in chunks', inChunks],
])('undici receives the 413 of a body that is too large, %s', async (_, body) => {
  const { url, key } = await serveForTest()
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.destroy())
  const headers = { authorization: `Bearer ${key.text}`, 'content-type': 'application/json' }
  const answer = await request(`${url}/v1/contacts`, { dispatcher, method: 'POST', headers, body: body() })
  expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close'])
  expect(await answer.body.json()).toMatchObject({ code: 'body_too_large' })
})

const HAS_CURL = spawnSync('curl', ['--version']).status === 0

test.runIf(HAS_CURL)('curl receives it too (skipped without curl)', async () => {
  const { url, key } = await serveForTest()
  const headers = ['-H', `Authorization: Bearer ${key.text}`, '-H', 'Content-Type: application/json']
  const curl = spawn('curl', ['-s', '-w', '%{http_code}', ...headers, '--data-binary', '@-', `${url}/v1/contacts`])
  curl.stdin.on('error', () => {})
  curl.stdin.end(TOO_LARGE)
  const [said, [exit]] = await Promise.all([text(curl.stdout), once(curl, 'close')])
  expect(said).toMatch(/"code":"body_too_large".*413$/)
  expect(exit).toBe(0)
})

test('errors in the rest of a rejected body get no second answer', async () => {
  const { url, key } = await serveForTest()
  const socket = halfOpen(url)
  const received = text(socket)
  socket.write(head(key.text, 'Transfer-Encoding: chunked'))
  socket.write(`200000\r\n${'x'.repeat(0x200000)}\r\n`)
  await once(socket, 'data')
  socket.write('no chunk\r\n')
  expect((await received.catch(() => 'HTTP/1.1 reset')).match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test('a client that sends more than 256 MiB is disconnected', async () => {
  const { url, key } = await serveForTest()
  const socket = halfOpen(url)
  socket.on('error', () => {})
  socket.resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(head(key.text, `Content-Length: ${2000 * MEBIBYTE}`))
  let sent = 0
  while (!socket.destroyed) {
    if (!socket.write(TOO_LARGE)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    sent += TOO_LARGE.length
  }
  expect(sent / MEBIBYTE).toBeGreaterThan(256)
  expect(sent / MEBIBYTE).toBeLessThan(320)
})

test('a client that stops during a rejected body is disconnected after five seconds', async () => {
  const { url, key } = await serveForTest()
  const socket = halfOpen(url)
  const failure = new Promise((resolve) => socket.once('error', resolve))
  socket.write(head(key.text, `Content-Length: ${100 * MEBIBYTE}`))
  expect(lastBody(await text(socket))).toMatchObject({ code: 'body_too_large' })
  socket.write('x')
  await setTimeout(100)
  expect(socket.errored).toBeNull()
  await setTimeout(5900)
  // The first write after the end finds out for the second.
  socket.write('x')
  await setTimeout(100)
  socket.write('x')
  expect(await failure).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/) })
})
