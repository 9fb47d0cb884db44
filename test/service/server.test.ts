import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { TIMEOUTS } from '../../src/service/http-server.ts'
import { startServer } from '../../src/service/server.ts'
import type { Store } from '../../src/service/store/store.ts'
import { makeSelfSignedCertificate } from '../api/self-signed-certificate.ts'
import { openTestStore } from '../harness/database.ts'
import { openSocket } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

async function takenPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

test('a port in use is named, with the command to type', async () => {
  const port = await takenPort()
  await expect(serveForTest({ port })).rejects.toMatchObject({
    code: 'machine',
    message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
    details: { hint: 'crm serve --port 0', repeat: { flag: '--port', value: '0' } },
  })
})

test('an address of another machine is named', async () => {
  await expect(serveForTest({ host: '192.0.2.1', port: 4000 })).rejects.toMatchObject({
    code: 'machine',
    message: 'cannot listen on 192.0.2.1:4000: this machine has no such address',
  })
})

test('localhost is served on one address, and reported as such', async () => {
  const { url } = await serveForTest({ host: 'localhost' })
  expect(url).toMatch(/^http:\/\/localhost:\d+$/)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

test('https uses the given certificate', async () => {
  const tls = makeSelfSignedCertificate('localhost')
  const { url, key } = await serveForTest({ tls })
  expect(url).toMatch(/^https:/)
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca: tls.cert, servername: 'localhost' })
  socket.write(`GET /v1/contacts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key.text}\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a certificate or key that OpenSSL rejects is named', async () => {
  const { cert, key } = makeSelfSignedCertificate('localhost')
  const other = makeSelfSignedCertificate('localhost')
  const encrypted = createPrivateKey(key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-128-cbc',
    passphrase: 'x',
  })
  const faults = [
    [{ cert: key, key }, 'the certificate is not in PEM format'],
    [{ cert: Buffer.alloc(0), key }, 'the certificate is not in PEM format'],
    [{ cert, key: cert }, 'the key is not a private key in PEM'],
    [{ cert, key: other.key }, 'the key does not belong to the certificate'],
    [{ cert, key: encrypted }, 'the key has a passphrase'],
    [{ cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', key }, 'wrong tag'],
  ] as const
  for (const [tls, reason] of faults) {
    await expect(serveForTest({ tls })).rejects.toMatchObject({
      code: 'invalid_input',
      message: `cannot use the TLS certificate or key: ${reason}`,
    })
  }
})

test('closing leaves the store open', async () => {
  const { server, store } = await serveForTest()
  await server.close()
  expect(await store.keys()).toHaveLength(1)
})

test('closing ends idle connections at once and accepts no new ones', async () => {
  const { server, url } = await serveForTest()
  const idle = openSocket(url)
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const startMs = performance.now()
  await server.close()
  expect(performance.now() - startMs).toBeLessThan(4000)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('a request in progress is answered when the server closes, then its connection ends', async () => {
  const { server, url, key } = await serveForTest()
  const body = '{"name":"Ada"}'
  const socket = openSocket(url)
  const received = text(socket)
  const head = `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\nExpect: 100-continue\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`)
  await once(socket, 'data')
  const closed = server.close()
  socket.write(body)
  expect((await received).toLowerCase()).toMatch(/http\/1\.1 201 created\r\n(.+\r\n)*connection: close\r\n/)
  await closed
})

test('a client that never ends its request does not keep the server from closing', async () => {
  const { server, url, key } = await serveForTest({ timeouts: { ...TIMEOUTS, closeMs: 100 } })
  const socket = openSocket(url)
  const head = `POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\nExpect: 100-continue\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n`)
  await once(socket, 'data')
  await server.close()
})

test('writes acknowledged under load are kept when the server closes', async () => {
  const store = await openTestStore()
  const { server, send } = await serveForTest({ store })
  const acknowledged: string[] = []
  let isClosing = false
  const clients = Array.from({ length: 20 }, async () => {
    while (!isClosing || acknowledged.length === 0) {
      const answer = await send('POST', '/v1/contacts', { name: 'Ada' })
      expect(answer.status).toBe(201)
      acknowledged.push(answer.json.id as string)
    }
  })
  await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(100)
  const closed = server.close()
  const results = await Promise.allSettled(clients)
  isClosing = true
  await closed
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'fetch failed' } })
  const kept = new Set<string>()
  let olderThanId: string | undefined
  do {
    const page = await store.page('contact', { limit: 500, olderThanId })
    for (const row of page.texts) kept.add((JSON.parse(row) as { id: string }).id)
    olderThanId = page.nextOlderThanId
  } while (olderThanId !== undefined)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  expect(kept.size).toBe(acknowledged.length)
})

async function serveBeforeStore() {
  const opening = Promise.withResolvers<Store>()
  opening.promise.catch(() => {})
  const options = { host: '127.0.0.1', port: 0, rateLimit: undefined, now: Date.now, version: '1.2.3' }
  const server = await startServer({ ...options, store: opening.promise })
  onTestFinished(() => server.close())
  const socket = openSocket(server.url)
  const received = text(socket)
  socket.write('GET /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\nConnection: close\r\n\r\n')
  await once(socket, 'ready')
  return { opening, received }
}

test('requests wait until the store is open', async () => {
  const { opening, received } = await serveBeforeStore()
  const store = await openTestStore()
  opening.resolve(store)
  expect(await received).toMatch(/^HTTP\/1\.1 401 /)
})

test('requests to a store that cannot be opened are answered 503', async () => {
  const { opening, received } = await serveBeforeStore()
  opening.reject(new CrmError('machine', 'no database', { hint: 'none' }))
  expect(await received).toMatch(/^HTTP\/1\.1 503 /)
})
