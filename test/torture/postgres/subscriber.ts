import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Random } from '../random.ts'

export interface Arrival {
  readonly eventId: string
  readonly recordId: string
  /** For example `contact.updated`. */
  readonly type: string
  readonly version: number
}

/** Two requests with the same event that were under way at the same time. */
export interface Overlap {
  readonly eventId: string
  readonly fromMs: number
  readonly toMs: number
}

/** An endpoint that answers 204 to everything, sometimes late. */
export interface Subscriber {
  readonly url: string
  /** The first request of each event, in the order in which they came. */
  readonly arrivals: ReadonlyMap<string, Arrival>
  /** All whole requests. */
  readonly requestCount: number
  readonly overlaps: readonly Overlap[]
  close(): void
}

interface Payload {
  readonly type: string
  readonly data: { readonly id: string; readonly version?: number }
}

/** `lateMs`: how long the longest answer in a hundred takes. */
export async function startSubscriber(random: Random, lateMs: number): Promise<Subscriber> {
  const arrivals = new Map<string, Arrival>()
  const underWay = new Map<string, { count: number; sinceMs: number }>()
  const overlaps: Overlap[] = []
  let requestCount = 0
  const server = createServer(async (request, response) => {
    const eventId = String(request.headers['webhook-id'])
    const body = await text(request).catch(() => undefined)
    // The process that sent it was killed meanwhile.
    if (body === undefined) return
    requestCount++
    const before = underWay.get(eventId)
    const nowMs = performance.now()
    if (before) overlaps.push({ eventId, fromMs: before.sinceMs, toMs: nowMs })
    const state = before ?? { count: 0, sinceMs: nowMs }
    state.count++
    underWay.set(eventId, state)
    let hasEnded = false
    const end = (): void => {
      if (hasEnded) return
      hasEnded = true
      if (--state.count === 0) underWay.delete(eventId)
    }
    response.on('close', end)
    if (!arrivals.has(eventId)) {
      const { type, data } = JSON.parse(body) as Payload
      arrivals.set(eventId, { eventId, recordId: data.id, type, version: data.version ?? 1 })
    }
    await setTimeout(random.chance(0.01) ? random.between(0, lateMs) : random.between(0, 20))
    end()
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivals,
    get requestCount() {
      return requestCount
    },
    overlaps,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
