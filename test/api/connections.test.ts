import { describe, expect, test } from 'vitest'
import { openConnections } from '../../src/api/transport/connections.ts'
import type { NoReply, Outgoing } from '../../src/api/transport/exchange.ts'
import { sendJson, startServer, startTcpServer } from './answering-server.ts'

const LIMITS = { timeoutMs: 5000, signal: new AbortController().signal }

function outgoing(method: Outgoing['method']): Outgoing {
  return { method, path: '/', headers: [], body: null }
}

/** The transports differ in the order of their headers: undici writes `connection` before those of the caller. */
async function startRecordingServer() {
  const transports: string[] = []
  const url = await startTcpServer((socket) => {
    socket.on('data', (chunk) => {
      transports.push(/connection:.*x-mark/is.test(chunk.toString()) ? 'undici' : 'node:http')
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    })
  })
  return { url, transports }
}

const MARKED = { ...outgoing('GET'), headers: ['x-mark', '1'] }

describe('the first requests go over node:http, and the others over undici', () => {
  test('the first thousand by default', async () => {
    const { url, transports } = await startRecordingServer()
    const connections = openConnections({ baseUrl: url, timeoutMs: 5000 })
    for (let count = 0; count < 101; count += 1)
      await Promise.all(Array.from({ length: 10 }, () => connections.exchange(MARKED, LIMITS)))
    await connections.close()
    expect(transports.filter((each) => each === 'node:http')).toHaveLength(1000)
    expect(transports).toHaveLength(1010)
  })

  test('in turn', async () => {
    const { url, transports } = await startRecordingServer()
    const connections = openConnections({ baseUrl: url, timeoutMs: 5000, requestsBeforeUndici: 2 })
    for (let count = 0; count < 4; count += 1) await connections.exchange(MARKED, LIMITS)
    await connections.close()
    expect(transports).toEqual(['node:http', 'node:http', 'undici', 'undici'])
  })

  test.each<[number, string]>([
    [2, 'node:http'],
    [3, 'undici'],
  ])('where %i are expected, and three are worth it, the first goes over %s', async (expected, transport) => {
    const { url, transports } = await startRecordingServer()
    const connections = openConnections({ baseUrl: url, timeoutMs: 5000, requestsBeforeUndici: 3 })
    connections.expect(expected)
    await connections.exchange(MARKED, LIMITS)
    await connections.close()
    expect(transports).toEqual([transport])
  })

  test('a request that runs while undici is loaded ends over node:http', async () => {
    const slow = Promise.withResolvers<void>()
    const { url } = await startServer(async (response, { method }) => {
      if (method === 'PUT') await slow.promise
      sendJson(response, 200, { method })
    })
    const connections = openConnections({ baseUrl: url, timeoutMs: 5000, requestsBeforeUndici: 1 }, 1)
    const first = connections.exchange(outgoing('PUT'), LIMITS)
    expect(await connections.exchange(outgoing('POST'), LIMITS)).toMatchObject({ status: 200 })
    slow.resolve()
    expect(await first).toMatchObject({ status: 200 })
    await connections.close()
  })
})

test.each([1, 0])('a request after close is not sent, over both (%i before undici)', async (requestsBeforeUndici) => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, {}))
  const connections = openConnections({ baseUrl: url, timeoutMs: 5000, requestsBeforeUndici })
  await connections.close()
  expect(connections.closing.aborted).toBe(true)
  const failure = await connections.exchange(outgoing('POST'), LIMITS).catch((error: NoReply) => error)
  expect(failure).toMatchObject({ type: 'network', isSent: false, cause: { code: 'UND_ERR_CLOSED' } })
  expect(seen).toEqual([])
})

test.each([9, 0])(
  'a sent request that does not end is cut a second after close (%i before undici)',
  async (requestsBeforeUndici) => {
    const asked = Promise.withResolvers<void>()
    const { url } = await startServer(() => asked.resolve())
    const connections = openConnections({ baseUrl: url, timeoutMs: 60_000, requestsBeforeUndici })
    const running = connections
      .exchange(outgoing('POST'), { ...LIMITS, timeoutMs: 60_000 })
      .catch((error: NoReply) => error)
    await asked.promise
    await connections.close()
    expect(await running).toMatchObject({ type: 'network', isSent: true })
  },
)
