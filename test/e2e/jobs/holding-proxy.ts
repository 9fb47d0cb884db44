import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface HoldingProxy {
  readonly url: string
  /** Resolves when the first write has come in. */
  readonly firstWrite: Promise<void>
  /** Lets all writes pass, those that wait and those to come. */
  release(): void
  /** Lets so many further writes pass; resolves when the next one has come in. */
  holdAfter(passed: number): Promise<void>
  /** Resolves when the service has answered every request, whether or not its client is still connected. */
  settled(): Promise<void>
}

/** Stands in front of a service and keeps writes waiting, so that a job is under way for as long as a test wants. */
export async function holdWrites(target: string, passed = 0): Promise<HoldingProxy> {
  const turnAfter = (left: number) => ({
    left,
    first: Promise.withResolvers<void>(),
    held: Promise.withResolvers<void>(),
  })
  let turn = turnAfter(passed)
  const underWay = new Set<Promise<void>>()
  const server = createServer(async (incoming, answer) => {
    const done = Promise.withResolvers<void>()
    underWay.add(done.promise)
    const { method = 'GET', url = '/', headers } = incoming
    const body = await buffer(incoming)
    if (method !== 'GET' && turn.left-- <= 0) {
      turn.first.resolve()
      await turn.held.promise
    }
    const forwarder = request(new URL(url, target), { method, headers }, (answered) => {
      answered.on('close', done.resolve)
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    forwarder.on('error', () => {
      done.resolve()
      answer.destroy()
    })
    forwarder.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    turn.held.resolve()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    firstWrite: turn.first.promise,
    release: () => turn.held.resolve(),
    holdAfter: (writes) => {
      turn = turnAfter(writes)
      return turn.first.promise
    },
    settled: async () => {
      await Promise.all(underWay)
    },
  }
}
