import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Fault } from './suite.ts'

export interface Observed {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly atMs: number
}

interface Whole {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

/** A server of its own port that keeps what it received. */
export class ObservingServer {
  readonly requests: Observed[] = []
  readonly #server: Server

  constructor(handle: (observed: Observed, response: ServerResponse) => Promise<void>) {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      void this.#observe(request)
        .then((observed) => handle(observed, response))
        // The client may end the connection at any time.
        .catch(() => response.destroy())
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #observe(request: IncomingMessage): Promise<Observed> {
    const atMs = performance.now()
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const body = await buffer(request)
    const observed = { method: request.method ?? '', path, query, headers, body, atMs }
    this.requests.push(observed)
    return observed
  }
}

/** Stands before the service, and does to the answers what a scenario says. */
export function createFront(
  serviceUrl: string,
  faults: readonly Fault[],
  fillIn: (text: string) => string,
): ObservingServer {
  const left = faults.map((fault) => ({ ...fault, times: fault.times ?? 1 }))
  return new ObservingServer(async (observed, response) => {
    const fault = left.find(({ to, times }) => times > 0 && to === `${observed.method} ${observed.path}`)
    if (fault) fault.times -= 1
    if (fault?.delayMs !== undefined) await delay(fault.delayMs)
    const answer = !fault || fault.reaches ? await forward(serviceUrl, observed) : undefined
    await respond(response, fault, answer, fillIn)
  })
}

async function respond(
  response: ServerResponse,
  fault: Fault | undefined,
  answer: Whole | undefined,
  fillIn: (text: string) => string,
): Promise<void> {
  if (fault?.connection === 'silent') return
  if (fault?.connection === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const given = fault?.answer ? madeUp(fault.answer, fillIn) : answer
  if (given === undefined) throw new Error('a fault without an answer does not reach the service')
  response.writeHead(given.status, {
    ...given.headers,
    ...(given.status === 204 ? {} : { 'content-length': given.body.length }),
  })
  if (fault?.connection === 'cut') await cut(response, given.body)
  else if (fault?.connection === 'drip') await drip(response, given.body)
  else response.end(given.body)
}

async function cut(response: ServerResponse, body: Buffer): Promise<void> {
  response.write(body.subarray(0, body.length / 2))
  await delay(20)
  response.socket?.end()
}

/** Fast enough that a limit for the time between two bytes does not end it. */
const DRIP_MS = 100

async function drip(response: ServerResponse, body: Buffer): Promise<void> {
  for (const byte of body) {
    if (response.destroyed || response.socket?.destroyed) return
    response.write(Buffer.from([byte]))
    await delay(DRIP_MS)
  }
  response.end()
}

function madeUp({ status, headers = {}, json, text }: Answer, fillIn: (text: string) => string): Whole {
  const body = Buffer.from(fillIn(json === undefined ? (text ?? '') : JSON.stringify(json)))
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fillIn(value)])
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  const usual = json === undefined ? {} : { 'content-type': type }
  return { status, headers: { ...usual, ...Object.fromEntries(named) }, body }
}

/** Headers of one connection alone. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length']

async function forward(serviceUrl: string, { method, path, query, headers, body }: Observed): Promise<Whole> {
  const outgoing = send(new URL(query === '' ? path : `${path}?${query}`, serviceUrl), {
    method,
    headers: { ...without(headers), ...(body.length > 0 && { 'content-length': body.length }) },
  })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const whole = await buffer(incoming)
  return {
    status: incoming.statusCode ?? 0,
    headers: without(incoming.headers as Readonly<Record<string, string>>),
    body: whole,
  }
}

function without(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)))
}
