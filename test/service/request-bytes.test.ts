import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readBytes } from '../../src/service/app.ts'
import { openSocket } from './raw-request.ts'

test('a body is refused, not waited for, when its client is gone before it is read', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = openSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345')
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  socket.destroy()
  // `once` would take the error of the connection for its own.
  await new Promise((resolve) => request.once('close', resolve))
  await expect(readBytes(request)).rejects.toMatchObject({ status: 400, message: 'the request was truncated' })
})
