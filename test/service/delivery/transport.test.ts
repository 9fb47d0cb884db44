import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { publicTargets, type TargetRule, targetRule } from '../../../src/service/delivery/target-rules.ts'
import { openTransport, type Transport } from '../../../src/service/delivery/transport.ts'
import { makeSelfSignedCertificate } from '../../api/self-signed-certificate.ts'
import { startReceiver } from './receiver.ts'

function open(isAllowed: TargetRule = targetRule(true), timeoutMs = 2000): Transport {
  const transport = openTransport({ timeoutMs, isAllowed })
  onTestFinished(() => transport.stop())
  return transport
}

function request(url: string) {
  return { url, headers: { 'content-length': 2 }, body: Buffer.from('{}') }
}

/** A server that handles each connection with the given function. */
async function listen(onConnection: (socket: Socket, index: number) => void): Promise<string> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onConnection(socket, count++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('an answer has its status, and Retry-After if sent', async () => {
  const { url } = await startReceiver((_request, _index, response) => {
    response.setHeader('retry-after', '7')
    return 429
  })
  expect(await open().post(request(url))).toEqual({ type: 'answered', status: 429, retryAfter: '7' })
})

test('connections are reused for the next request', async () => {
  const ports = new Set<number | undefined>()
  const { url } = await startReceiver((_request, _index, response) => {
    ports.add(response.socket?.remotePort)
    return 200
  })
  const transport = open()
  for (let n = 0; n < 5; n++) await transport.post(request(url))
  expect(ports.size).toBe(1)
})

test('a reused connection closed by the other side is not a failure', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const url = await listen((socket, index) => {
    let count = 0
    socket.on('data', () => {
      count += 1
      if (index === 0 && count > 1) socket.resetAndDestroy()
      else socket.write(answer)
    })
  })
  const transport = open()
  expect(await transport.post(request(url))).toMatchObject({ status: 200 })
  expect(await transport.post(request(url))).toMatchObject({ status: 200 })
})

test('a retry uses a new connection after a broken one', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const paths: string[] = []
  const url = await listen((socket) => {
    socket.on('data', (chunk) => {
      const path = String(chunk).split(' ', 2)[1] ?? ''
      paths.push(path)
      if (path === '/reset') socket.resetAndDestroy()
      else socket.write(answer)
    })
  })
  const transport = open()
  expect(await transport.post(request(url))).toMatchObject({ status: 200 })
  expect(await transport.post(request(`${url}reset`), true)).toMatchObject({ type: 'unanswered' })
  expect(await transport.post(request(`${url}reset`), true)).toMatchObject({ type: 'unanswered' })
  expect(paths).toEqual(['/', '/reset', '/reset'])
})

const reset = (socket: Socket): void => void socket.once('data', () => socket.resetAndDestroy())
const close = (socket: Socket): void => void socket.once('data', () => socket.end())
const babble = (socket: Socket): void => void socket.once('data', () => socket.end('SSH-2.0-x\r\n\r\n'))
const trickle = (socket: Socket): void => {
  socket.write('HTTP/1.1 200 OK\r\n')
  const timer = setInterval(() => socket.write('x: y\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
}

test.each([
  ['refuses connections', undefined, /^the connection was refused$/],
  ['resets them', reset, /^the connection closed without a response$/],
  ['closes them', close, /^the connection closed without a response$/],
  ['speaks no HTTP', babble, /Parse Error/],
  ['is silent', () => {}, /^no answer within 0\.2 s$/],
  ['never ends its headers', trickle, /^no answer within 0\.2 s$/],
] as const)('an endpoint that %s gives a reason', async (_title, onConnection, reason) => {
  const url = onConnection ? await listen(onConnection) : 'http://127.0.0.1:9/'
  const attempt = await open(targetRule(true), 200).post(request(url))
  expect(attempt).toEqual({ type: 'unanswered', reason: expect.stringMatching(reason) })
})

test('the status of an endless answer counts, and its connection is closed', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const url = await listen((socket) => {
    closed = once(socket, 'close')
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'))
  })
  expect(await open(targetRule(true), 100).post(request(url))).toMatchObject({ type: 'answered', status: 200 })
  await closed
})

test('only the beginning of an endless answer is read', async () => {
  let sentBytes = 0
  const url = await listen((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) sentBytes += 65_536
      }
      socket.on('drain', pour)
      pour()
    })
  })
  const startMs = performance.now()
  expect(await open().post(request(url))).toMatchObject({ type: 'answered', status: 200 })
  expect(performance.now() - startMs).toBeLessThan(1500)
  // What the buffers of two sockets take, and not what two seconds would carry.
  expect(sentBytes).toBeLessThan(50_000_000)
})

test('stop aborts requests in progress', async () => {
  const { url, arrived } = await startReceiver(() => undefined)
  const transport = open()
  const attempt = transport.post(request(url))
  await arrived(1)
  transport.stop()
  expect(await attempt).toEqual({ type: 'stopped' })
})

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  'localhost',
])('%s is rejected without a connection when only public targets are allowed', async (host) => {
  const { port, received } = await startReceiver()
  const attempt = await open(publicTargets()).post(request(`http://${host}:${port}/`))
  const reason = expect.stringMatching(/^\S+ is not a public address; this service delivers only to public addresses$/)
  expect(attempt).toEqual({ type: 'unanswered', reason })
  expect(received).toEqual([])
})

test('a name is resolved once, and the connection uses the checked address', async () => {
  const { port, received } = await startReceiver()
  const asked: string[] = []
  const transport = open((address) => {
    asked.push(address)
    return address === '127.0.0.1'
  })
  expect(await transport.post(request(`http://localhost:${port}/`))).toMatchObject({ status: 204 })
  expect(asked).toContain('127.0.0.1')
  expect(new Set(asked).size).toBe(asked.length)
  expect(received[0]?.headers.host).toBe(`localhost:${port}`)
})

test('https checks the host name and rejects an untrusted certificate', async () => {
  const names: string[] = []
  const server = createTlsServer({
    ...makeSelfSignedCertificate('localhost'),
    SNICallback: (name, done) => {
      names.push(name)
      done(null)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const attempt = await open().post(request(`https://localhost:${port}/`))
  expect(attempt).toEqual({ type: 'unanswered', reason: expect.stringMatching(/certificate/) })
  expect(names).toEqual(['localhost'])
})
