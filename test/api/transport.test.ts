import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { NoReply, Outgoing } from '../../src/api/transport/exchange.ts'
import { startTcpServer } from './answering-server.ts'
import { TRANSPORTS } from './transports.ts'

const NEVER = new AbortController().signal
const LIMITS = { timeoutMs: 5000, signal: NEVER }
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'

function outgoing(method: Outgoing['method'], body: string | null = null): Outgoing {
  return {
    method,
    path: '/v1/contacts?a=%C3%A9',
    headers: ['Accept', 'application/json'],
    body: body === null ? null : Buffer.from(body),
  }
}

const noReply = (promise: Promise<unknown>): Promise<NoReply> =>
  promise.then(
    () => expect.fail('expected no reply'),
    (error: NoReply) => error,
  )

const REQUESTS = [
  outgoing('GET'),
  outgoing('HEAD'),
  outgoing('DELETE'),
  outgoing('DELETE', '{"a":1}'),
  outgoing('POST'),
  outgoing('POST', ''),
  outgoing('POST', '{"name":"Ada ü"}'),
  outgoing('PUT', '{}'),
  outgoing('PATCH', '{}'),
]

test.each(REQUESTS)(
  '$method with the body $body is the same over both, but for the order of headers',
  async (request) => {
    const sent = await Promise.all(
      TRANSPORTS.map(async ({ open }) => {
        let text = ''
        const url = await startTcpServer((socket) => {
          // Head and body may come apart.
          socket.once('data', () => setTimeout(() => socket.end(ANSWER), 20))
          socket.on('data', (chunk) => {
            text += chunk.toString('latin1')
          })
        })
        const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
        await transport.exchange({ ...request, headers: [...request.headers] }, LIMITS)
        await transport.close()
        const [head = '', body] = text.replaceAll(url.host, 'HOST').split('\r\n\r\n')
        const [line, ...headers] = head.split('\r\n')
        return {
          line,
          headers: headers.map((each) => each.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted(),
          body,
        }
      }),
    )
    expect(sent[0]).toEqual(sent[1])
  },
)

describe.each(TRANSPORTS)('over $over', ({ open }) => {
  test('a connection serves one request after the other', async () => {
    const ports = new Set<number | undefined>()
    const url = await startTcpServer((socket) => {
      ports.add(socket.remotePort)
      socket.on('data', () => socket.write(ANSWER))
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 32)
    for (let count = 0; count < 5; count += 1) await transport.exchange(outgoing('POST', '{}'), LIMITS)
    await transport.close()
    // An answer of undici arrives a moment before its connection is free again.
    expect(ports.size).toBeLessThanOrEqual(2)
  })

  test.each([
    ['ends it', (socket: Socket) => socket.end(ANSWER)],
    [
      'announces less than two seconds',
      (socket: Socket) => socket.write(ANSWER.replace('\r\n\r\n', '\r\nkeep-alive: timeout=1\r\n\r\n')),
    ],
    ['sends content after a 204', (socket: Socket) => socket.write(ANSWER.replace('200 OK', '204 No'))],
  ])('a connection is not used again after a server %s', async (_, answer) => {
    let connections = 0
    const url = await startTcpServer((socket) => {
      connections += 1
      socket.on('data', () => answer(socket))
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 32)
    for (let count = 0; count < 5; count += 1) await transport.exchange(outgoing('POST', '{}'), LIMITS)
    await transport.close()
    expect(connections).toBe(5)
  })

  test('a connection that is reset after the request was sent leaves doubt', async () => {
    const url = await startTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    expect(await noReply(transport.exchange(outgoing('POST', '{}'), LIMITS))).toMatchObject({
      type: 'network',
      isSent: true,
    })
    await transport.close()
  })

  test.each([
    ['reset', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['ended', (socket: Socket) => void socket.once('data', () => socket.end())],
  ])('a connection that is %s during the handshake of TLS leaves none', async (_, converse) => {
    const { host } = await startTcpServer(converse)
    const transport = open({ baseUrl: new URL(`https://${host}`), timeoutMs: 5000 }, 1)
    const failure = await noReply(transport.exchange(outgoing('POST', '{}'), LIMITS))
    expect(failure).toMatchObject({ type: 'network', isSent: false, cause: { code: 'ECONNRESET' } })
    await transport.close()
  })

  test('a request that is aborted at once is not sent, and the next one is', async () => {
    const requests: string[] = []
    const url = await startTcpServer((socket) => {
      socket.on('data', (chunk) => {
        requests.push(chunk.toString().slice(0, 4))
        socket.write(ANSWER)
      })
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    const ending = new AbortController()
    const aborted = noReply(transport.exchange(outgoing('POST', '{}'), { ...LIMITS, signal: ending.signal }))
    ending.abort('enough')
    expect(await aborted).toMatchObject({ type: 'interrupted', isSent: false, cause: 'enough' })
    expect(await transport.exchange(outgoing('PUT', '{}'), LIMITS)).toMatchObject({ status: 200 })
    await transport.close()
    expect(requests).toEqual(['PUT '])
  })

  test.each(['aborted', 'timed out'])('the connection of a sent request that is %s is closed', async (how) => {
    const closed = Promise.withResolvers<void>()
    const ending = new AbortController()
    const url = await startTcpServer((socket) => {
      socket.once('close', () => closed.resolve())
      if (how === 'aborted') socket.once('data', () => ending.abort())
      else socket.resume()
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    const limits = { timeoutMs: how === 'aborted' ? 5000 : 60, signal: ending.signal }
    const type = how === 'aborted' ? 'interrupted' : 'timeout'
    expect(await noReply(transport.exchange(outgoing('POST', '{}'), limits))).toMatchObject({ type, isSent: true })
    await closed.promise
    await transport.close()
  })

  test('no more connections are opened than allowed, and a request that waits for one was not sent', async () => {
    let connections = 0
    const requests: string[] = []
    const url = await startTcpServer((socket) => {
      connections += 1
      socket.on('data', (chunk) => {
        requests.push(chunk.toString().slice(0, 4))
        setTimeout(() => socket.write(ANSWER), 10)
      })
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 2)
    const ending = new AbortController()
    const running = Array.from({ length: 6 }, () => transport.exchange(outgoing('GET'), LIMITS))
    const waiting = noReply(transport.exchange(outgoing('PUT'), { ...LIMITS, signal: ending.signal }))
    ending.abort()
    expect(await waiting).toMatchObject({ type: 'interrupted', isSent: false })
    await Promise.all(running)
    await transport.close()
    expect(connections).toBe(2)
    expect(requests).toEqual(Array(6).fill('GET '))
  })

  test('closing awaits a sent request, gives up one without a connection, and leaves no connection open', async () => {
    const sockets: Socket[] = []
    const asked = Promise.withResolvers<void>()
    const url = await startTcpServer((socket) => {
      sockets.push(socket)
      socket.once('data', () => {
        asked.resolve()
        setTimeout(() => socket.write(ANSWER), 30)
      })
    })
    const transport = open({ baseUrl: url, timeoutMs: 5000 }, 1)
    const sent = transport.exchange(outgoing('POST', '{}'), LIMITS)
    await asked.promise
    await transport.close()
    expect(await sent).toMatchObject({ status: 200 })
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
  })

  test('closing gives up a connection that is not established', async () => {
    const { host } = await startTcpServer(() => {})
    const transport = open({ baseUrl: new URL(`https://${host}`), timeoutMs: 5000 }, 1)
    const failure = noReply(transport.exchange(outgoing('POST', '{}'), LIMITS))
    await new Promise((resolve) => setTimeout(resolve, 30))
    await transport.close()
    expect(await failure).toMatchObject({ type: 'network', isSent: false, cause: { code: 'UND_ERR_CLOSED' } })
  })
})
