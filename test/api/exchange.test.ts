import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { SYSTEM_TIMING } from '../../src/api/transport/timing.ts'
import { type Answering, listen, sendJson, startServer, startTcpServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY } from './client-fixture.ts'
import { TRANSPORTS } from './transports.ts'

const silent: Answering = () => {}

describe.each(TRANSPORTS)('over $over', ({ openClient }) => {
  test('a server that sends no headers runs into the time limit, which counts as waiting', async () => {
    const { url, seen } = await startServer(silent)
    const { api } = openClient(url, { timeoutMs: 60, maxWaitMs: 400 })
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('timeout')
    expect(error.message).toBe(
      `cannot create the contact: ${url.origin} did not answer in full within 0.06 s, after 2 tries; it is unknown whether the server applied it`,
    )
    // The server may read a request later than the client gives it up.
    await expect.poll(() => seen[0]?.headers['idempotency-key']).toBe(error.details.idempotencyKey)
  })

  test('a try that ran into the time limit leaves less of the longest wait', async () => {
    const { url, seen } = await startServer(silent)
    const { api, waits } = openClient(url, { timeoutMs: 500, maxWaitMs: 600 })
    await failureOf(api.contacts.create({}, NO_KEY))
    expect([seen.length, waits]).toEqual([1, []])
  })

  test('a server that stops in its body runs into the same limit, however often it sends a byte', async () => {
    const { url } = await startServer((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    })
    const { api } = openClient(url, { timeoutMs: 80, maxWaitMs: 0 })
    const startedMs = Date.now()
    const error = await failureOf(allPages(api.contacts.list(ALL)))
    expect(error.code).toBe('timeout')
    expect(Date.now() - startedMs).toBeLessThan(2000)
  })

  test('after a time-out the client goes on working', async () => {
    const { url } = await startServer((response, _request, nth) => {
      if (nth > 1) sendJson(response, 201, { id: 'con_1' })
    })
    const { api } = openClient(url, { timeoutMs: 500 })
    await expect(api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_1' })
  })

  test('a signal that was aborted sends nothing', async () => {
    const { url, seen } = await startServer(silent)
    const error = await failureOf(openClient(url, { signal: AbortSignal.abort() }).api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('interrupted')
    expect(error.message).toBe('cannot create the contact: interrupted')
    expect(error.details.idempotencyKey).toBeUndefined()
    expect(seen).toHaveLength(0)
  })

  test('a signal that aborts ends a write at once, and its outcome is unknown', async () => {
    const interruption = new AbortController()
    const { url } = await startServer(() => interruption.abort())
    const { api } = openClient(url, { signal: interruption.signal })
    const error = await failureOf(api.contacts.create({}, { idempotencyKey: 'mine' }))
    expect(error.code).toBe('interrupted')
    expect(error.message).toBe('cannot create the contact: interrupted; it is unknown whether the server applied it')
    expect(error.details.idempotencyKey).toBe('mine')
  })

  test('a signal that aborts ends a wait at once', async () => {
    const interruption = new AbortController()
    const { url, seen } = await startServer((response) => sendJson(response, 429, {}, { 'retry-after': '30' }))
    const onWait = () => void setImmediate(() => interruption.abort())
    const { api } = openClient(url, { signal: interruption.signal, onWait }, SYSTEM_TIMING)
    const startedMs = Date.now()
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('interrupted')
    expect(Date.now() - startedMs).toBeLessThan(2000)
    expect(seen).toHaveLength(1)
  })

  test('what was interrupted before a connection stood was never sent', async () => {
    const interruption = new AbortController()
    const sent: string[] = []
    const url = await startTcpServer((socket) => {
      socket.on('data', (chunk) => sent.push(chunk.toString()))
    })
    const { api } = openClient(url, { signal: interruption.signal })
    const failure = failureOf(api.contacts.create({}, NO_KEY))
    interruption.abort()
    expect((await failure).details.idempotencyKey).toBeUndefined()
    await api.close()
    expect(sent).toEqual([])
  })

  test('an answer beyond 64 MiB is refused and not kept', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 0x20)
    const { url } = await startServer((response) => {
      let left = 66
      const send = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1
          if (!response.write(mebibyte)) return
        }
        response.end('[]')
      }
      response.on('drain', send)
      send()
    })
    const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
    expect(error.code).toBe('bad_answer')
    expect(error.message).toContain('more than 64 MiB')
  })

  test('answers that come before the final one are passed over', async () => {
    const { url } = await startServer((response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      sendJson(response, 201, { id: 'con_1' })
    })
    await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_1' })
  })

  test('connections are kept and shared: many requests, few sockets', async () => {
    let sockets = 0
    const server = createServer((request, response) => {
      request.resume()
      sendJson(response, 201, { id: 'con_1' })
    }).on('connection', () => {
      sockets += 1
    })
    const { api } = openClient(await listen(server))
    for (let i = 0; i < 20; i += 1) await api.contacts.create({}, NO_KEY)
    // An answer arrives a moment before its connection is free again.
    expect(sockets).toBeLessThanOrEqual(2)
    await Promise.all(Array.from({ length: 200 }, () => api.contacts.create({}, NO_KEY)))
    expect(sockets).toBeLessThanOrEqual(32)
  })
})
