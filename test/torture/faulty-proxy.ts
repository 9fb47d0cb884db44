import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import {
  chooseFault,
  type Fault,
  type FaultAfter,
  type FaultBefore,
  isBefore,
  isRefusal,
  REFUSALS,
  type Refusal,
} from './faults.ts'
import type { Random } from './random.ts'
import { ownAnswer, passedOn, type ServerKind, shown } from './server-kind.ts'

const MOST_DELAY_MS = 60
/** Well inside the life of a request that the client reckons with. */
const MOST_LATE_MS = 400
const NO_BODY = Buffer.alloc(0)

export interface ProxyOptions {
  readonly kind: ServerKind
  readonly random: Random
  /** Where the service is now; undefined while it is down. */
  readonly target: () => string | undefined
  /** How far the service's clock is ahead: the proxy's own answers tell the same time. */
  readonly clockShiftMs: () => number
}

export interface FaultyProxy {
  readonly url: string
  readonly met: ReadonlyMap<Fault, number>
  /** Keys that came with two different requests. */
  readonly reusedKeys: readonly string[]
  readonly requestCount: number
  /** Resolves when this many more requests have come in. */
  requests(count: number): Promise<void>
  /** Resolves when nothing is under way any more: nothing that is delivered late, either. */
  settled(): Promise<void>
  close(): void
}

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Stands between client and service and does to requests and answers what networks and servers do on bad days. */
export async function startFaultyProxy({ kind, random, target, clockShiftMs }: ProxyOptions): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true })
  const met = new Map<Fault, number>()
  const keys = new Map<string, string>()
  const reusedKeys: string[] = []
  const waiters: { until: number; resolve: () => void }[] = []
  const underWay = new Set<Promise<unknown>>()
  let requestCount = 0

  const serviceDate = () => new Date(Date.now() + clockShiftMs()).toUTCString()

  const noteArrival = ({ method, path, headers, body }: Received) => {
    requestCount++
    for (const { until, resolve } of waiters) if (requestCount >= until) resolve()
    const key = headers['idempotency-key']
    if (typeof key !== 'string') return
    const text = `${method} ${path} ${body}`
    if ((keys.get(key) ?? text) !== text) reusedKeys.push(key)
    keys.set(key, text)
  }

  const forward = async (received: Received): Promise<Answered> => {
    const url = target()
    if (url === undefined) throw new Error('the service is down')
    const own = ownAnswer(kind, received)
    if (own) return { status: own.status, headers: { date: serviceDate() }, body: Buffer.from(own.text) }
    const { method, path, body } = received
    const headers = passedOn(kind, received.headers)
    const forwarder = request(new URL(path, url), { method, headers, agent })
    forwarder.end(body)
    const [answer] = (await once(forwarder, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 502, headers: shown(kind, answer.headers), body: await buffer(answer) }
  }

  const send = (response: ServerResponse, { status, headers, body }: Answered) => {
    response.writeHead(status, { ...headers, 'content-length': body.length })
    return response
  }

  const refuse = (response: ServerResponse, { status, headers }: Refusal) => {
    send(response, { status, headers: { ...headers, date: serviceDate() }, body: NO_BODY }).end()
  }

  /** The faults that the service never hears of, or hears of later. */
  const answerWithout = async (received: Received, response: ServerResponse, fault: FaultBefore) => {
    if (isRefusal(fault)) {
      refuse(response, REFUSALS[fault])
      return
    }
    response.destroy()
    if (fault !== 'reset, delivered late') return
    await setTimeout(random.between(0, MOST_LATE_MS))
    await forward(received)
  }

  const answerWith = async (received: Received, response: ServerResponse, fault: FaultAfter | undefined) => {
    if (fault === 'delay') await setTimeout(random.between(0, MOST_DELAY_MS))
    const answered = await forward(received)
    if (fault === 'delay') await setTimeout(random.between(0, MOST_DELAY_MS))
    if (fault === 'reset after the effect') response.destroy()
    else if (fault === '500 with effect') refuse(response, { status: 500, headers: {} })
    else if (fault !== 'answer truncated') send(response, answered).end(answered.body)
    else send(response, answered).write(answered.body.subarray(0, answered.body.length >> 1), () => response.destroy())
  }

  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    try {
      const received = { method, path, headers, body: await buffer(incoming) }
      noteArrival(received)
      const fault = chooseFault(random)
      if (fault) met.set(fault, (met.get(fault) ?? 0) + 1)
      const done = isBefore(fault) ? answerWithout(received, response, fault) : answerWith(received, response, fault)
      underWay.add(done)
      await done.finally(() => underWay.delete(done))
    } catch {
      // The client is gone, or the service: what the other side sees is a broken connection.
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    reusedKeys,
    get requestCount() {
      return requestCount
    },
    requests: (count) => new Promise((resolve) => waiters.push({ until: requestCount + count, resolve })),
    settled: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
