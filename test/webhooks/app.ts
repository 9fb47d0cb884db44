import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface AppRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface App {
  readonly port: number
  readonly url: string
  readonly requests: readonly AppRequest[]
  /** Resolves when this many events have arrived. */
  has(count: number): Promise<void>
}

export type Handler = (response: ServerResponse, request: AppRequest, index: number) => void

/** The app of a developer: receives events and answers with the result of `handle`. */
export async function startApp(
  handle: Handler = (response) => response.end('ok'),
  host: string = '127.0.0.1',
  certificate?: { readonly key: string; readonly cert: string },
): Promise<App> {
  const requests: AppRequest[] = []
  const waiting: (() => void)[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, rawHeaders, headers } = request
    const taken = { method, url, rawHeaders, headers, body: await buffer(request) }
    requests.push(taken)
    handle(response, taken, requests.length - 1)
    for (const wake of waiting.splice(0)) wake()
  }
  const server = certificate ? createTlsServer(certificate, take) : createServer(take)
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    requests,
    has: async (count) => {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
