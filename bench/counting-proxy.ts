import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountedAnswer {
  readonly atMs: number
  readonly status: number
}

export interface CountingProxy {
  readonly url: string
  /** Answers to requests with a key, in the order of the answers. */
  readonly answers: readonly CountedAnswer[]
  close(): void
}

const LIMIT_HEADER = /^(x-)?ratelimit|^retry-after$/

/** Stands in front of a service and counts; `isSilent` removes the headers that state a limit. */
export async function startCountingProxy(target: string, isSilent: boolean): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true })
  const answers: CountedAnswer[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const forwarder = request(new URL(url, target), { method, headers, agent }, (answer: IncomingMessage) => {
      answers.push({ atMs: performance.now(), status: answer.statusCode ?? 0 })
      const kept = Object.entries(answer.headers).filter(([name]) => !isSilent || !LIMIT_HEADER.test(name))
      outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept))
      answer.pipe(outgoing)
    })
    forwarder.on('error', () => outgoing.destroy())
    incoming.pipe(forwarder)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () => {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
