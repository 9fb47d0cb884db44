import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly atMs: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** Resolves when this many have arrived in total. */
  arrived(count: number): Promise<readonly Received[]>
}

/** Returns a status, or writes the answer itself. `index` is the number of earlier requests. */
export type Answering = (request: Received, index: number, response: ServerResponse) => number | undefined

/** A subscriber on a free port. Answers 204 by default, and nothing when `answer` returns undefined. */
export async function startReceiver(answer: Answering = () => 204): Promise<Receiver> {
  const received: Received[] = []
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const each = { atMs: Date.now(), path: request.url ?? '', headers: request.headers, body }
    const index = received.push(each) - 1
    const status = answer(each, index, response)
    if (status !== undefined) response.writeHead(status).end()
    for (const wake of waiting.splice(0)) wake()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    arrived: async (count) => {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return received
    },
  }
}

/** The id of the event in a body. */
export function nameIn({ body }: Received): string {
  return JSON.parse(body.toString()).data.name
}
