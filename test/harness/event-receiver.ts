import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ReceivedEvent {
  readonly atMs: number
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface EventReceiver {
  readonly url: string
  readonly events: readonly ReceivedEvent[]
  /** Resolves when what has arrived satisfies this. */
  until(isEnough: (events: readonly ReceivedEvent[]) => boolean): Promise<void>
}

/** A subscriber that answers with this status, by how many events came before. */
export async function receiveEvents(status: (index: number) => number = () => 204): Promise<EventReceiver> {
  const events: ReceivedEvent[] = []
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    // A service that is killed leaves half a request behind.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const { headers } = request
    response.writeHead(status(events.length)).end()
    events.push({ atMs: Date.now(), id: String(headers['webhook-id']), headers, body })
    for (const wake of waiting.splice(0)) wake()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    until: async (isEnough) => {
      while (!isEnough(events)) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
