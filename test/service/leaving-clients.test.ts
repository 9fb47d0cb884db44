import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { LogEntry } from '../../src/service/log.ts'
import { openSocket } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

const LARGE = { name: 'Ada', note: 'x'.repeat(60_000) }

/** A service, with the lines of its log about requests and what its metrics get. */
async function serveLogged() {
  const lines: LogEntry[] = []
  const counted: number[] = []
  const service = await serveForTest({
    log: (line) => line.event === 'request' && lines.push(line),
    onAnswered: ({ status }) => counted.push(status),
  })
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key.text}\r\n`
  const post = (path: string, body: string) =>
    `POST ${path} ${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const opened = async () => {
    const socket = openSocket(service.url)
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const audited = async () => {
    await service.server.close()
    const uses = await service.store.keyUses({ keyId: undefined, sinceMs: 0 })
    return uses.map(({ action, count, refusedCount }) => ({ action, count, refusedCount }))
  }
  /** Contacts of more than a mebibyte in total. */
  const fill = async () => {
    await Promise.all(Array.from({ length: 20 }, () => service.send('POST', '/v1/contacts', LARGE)))
    await expect.poll(() => lines).toHaveLength(20)
    lines.length = 0
  }
  return { ...service, lines, counted, head, post, opened, audited, fill }
}

test('thirty writes whose clients leave before the response are logged, counted and audited', async () => {
  const { lines, counted, post, opened, audited, send } = await serveLogged()
  for (let at = 0; at < 30; at++) {
    const socket = await opened()
    await new Promise<void>((resolve) => {
      socket.write(post('/v1/contacts', `{"name":"n${at}"}`), () => resolve())
    })
    socket.resetAndDestroy()
  }
  await expect.poll(() => lines.length).toBe(30)
  expect(lines.every(({ route, method }) => method === 'POST' && route === '/v1/contacts')).toBe(true)
  expect(counted).toEqual(lines.map(({ status }) => status))
  // A client that has left before its body is read may have made nothing.
  const made = counted.filter((status) => status === 201).length
  expect(counted.filter((status) => status !== 201 && status !== 400)).toEqual([])
  expect((await send('GET', '/v1/contacts?limit=100')).json.data).toHaveLength(made)
  expect(await audited()).toContainEqual({ action: 'POST /v1/contacts', count: 30, refusedCount: 30 - made })
})

test('the log says of a response whether it was cut off, and how many bytes the client took', async () => {
  const { lines, post, opened, audited, send, fill } = await serveLogged()
  await fill()
  expect((await send('GET', '/v1/contacts')).text.length).toBeGreaterThan(1_000_000)
  await expect.poll(() => lines[0]?.bytes).toBeGreaterThan(1_000_000)
  expect(lines[0]?.cut_off).toBeUndefined()
  // More than the buffers of a connection hold.
  const fields = Array.from({ length: 20 }, (_, at) => `c${at}: contacts(first: 20) { nodes { json } }`).join(' ')
  const socket = await opened()
  socket.pause()
  socket.write(post('/v1/graphql', JSON.stringify({ query: `{ ${fields} }` })))
  await once(socket, 'readable')
  socket.destroy()
  await expect.poll(() => lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ method: 'POST', route: '/v1/graphql', status: 200, cut_off: true })
  expect(lines[1]?.bytes).toBeLessThan(18_000_000)
  expect(await audited()).toContainEqual({ action: 'graphql query', count: 1, refusedCount: 0 })
})

test('requests behind one that a client does not read are not handled, nor after it left', async () => {
  const { lines, head, opened, server, send, fill } = await serveLogged()
  await fill()
  const socket = await opened()
  socket.pause()
  socket.write(`GET /v1/contacts?limit=500 ${head}\r\n`.repeat(200))
  await once(socket, 'readable')
  expect((await send('GET', '/healthz')).status).toBe(200)
  socket.destroy()
  await server.close()
  const lists = lines.filter(({ method, path }) => method === 'GET' && path === '/v1/contacts')
  expect(lists.length).toBeGreaterThan(0)
  expect(lists.length).toBeLessThan(50)
})

test('a client that sends requests without end, and reads no response, is not read from', async () => {
  const { head, opened, send, fill } = await serveLogged()
  await fill()
  const socket = await opened()
  socket.pause()
  const requests = `GET /v1/contacts ${head}\r\n`.repeat(5000)
  let isTaken = true
  let sent = 0
  const drained = () => Promise.race([once(socket, 'drain').then(() => true), send('GET', '/readyz').then(() => false)])
  while (isTaken && sent < 1000) {
    sent += 1
    isTaken = socket.write(requests) || (await drained()) || (await drained())
  }
  // Of 500 MB, what the buffers of the connection hold.
  expect(sent).toBeLessThan(100)
})

test('connections beyond the limit are closed, and the log says so once', async () => {
  const notes: LogEntry[] = []
  const { url, send } = await serveForTest({
    maxConnections: 3,
    log: (line) => line.level === 'warn' && notes.push(line),
  })
  const sockets = Array.from({ length: 6 }, () => openSocket(url))
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
  const isClosed = sockets.map(() => false)
  for (const [at, socket] of sockets.entries()) {
    socket.on('error', () => {})
    socket.once('close', () => {
      isClosed[at] = true
    })
    socket.resume()
  }
  await expect.poll(() => isClosed.filter(Boolean)).toHaveLength(3)
  expect(notes).toEqual([{ level: 'warn', event: 'note', message: '3 connections are open, and new ones are closed' }])
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await send('GET', '/healthz').catch(() => undefined))?.status).toBe(200)
})
