import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HeldBytes } from '../../src/service/response.ts'
import { openSocket } from './raw-request.ts'

async function connected(count: number): Promise<readonly Socket[]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const sockets: Socket[] = []
  for (let at = 0; at < count; at++) {
    const accepted = once(server, 'connection')
    const client = openSocket(`http://127.0.0.1:${port}`)
    onTestFinished(() => void client.destroy())
    sockets.push((await accepted)[0] as Socket)
  }
  onTestFinished(() => void server.close())
  return sockets
}

test('beyond the limit, the connections that have held their bytes for longest are closed', async () => {
  const sockets = await connected(4)
  const [first, second, third, fourth] = sockets as [Socket, Socket, Socket, Socket]
  let full = 0
  const held = new HeldBytes(() => full++, 100)
  held.hold(first, 40)
  held.hold(second, 40)
  held.hold(first, 20)
  expect(full).toBe(0)
  held.release(second)
  held.hold(third, 40)
  held.hold(second, 30)
  expect([full, sockets.map(({ destroyed }) => destroyed)]).toEqual([1, [true, false, false, false]])
  held.hold(fourth, 30)
  expect(full).toBe(1)
  held.hold(fourth, 20)
  expect([full, sockets.map(({ destroyed }) => destroyed)]).toEqual([2, [true, false, true, false]])
})

test('one connection alone may hold more', async () => {
  const [only] = (await connected(1)) as [Socket]
  const held = new HeldBytes(() => {}, 100)
  held.hold(only, 1000)
  expect(only.destroyed).toBe(false)
})
