import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { CleanUp } from './home.ts'

export interface RequestCounter {
  readonly url: string
  /** `GET /v1/contacts?limit=100`, in the order of received. */
  readonly requests: string[]
}

/** Stands in front of a service, passes everything on and back except `hidden` paths, and keeps the request lines. */
export async function countRequests(
  target: string,
  cleanUp: CleanUp = onTestFinished,
  hidden?: { readonly paths: RegExp; readonly status: number },
): Promise<RequestCounter> {
  const requests: string[] = []
  const server = createServer((incoming, answer) => {
    requests.push(`${incoming.method} ${incoming.url}`)
    const { method = 'GET', headers } = incoming
    if (hidden?.paths.test(incoming.url ?? '')) {
      answer.writeHead(hidden.status, { 'content-type': 'application/json' }).end('{"error":"not here"}')
      return
    }
    const forwarder = request(new URL(incoming.url ?? '/', target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    forwarder.on('error', () => answer.destroy())
    answer.on('error', () => forwarder.destroy())
    incoming.pipe(forwarder)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
