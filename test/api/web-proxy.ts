import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from './answering-server.ts'

export interface SeenTunnel {
  /** `host:port`, as it was asked for. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Everything that passed from the client to the server. */
  passed(): Buffer
}

export interface WebProxy {
  readonly url: URL
  readonly tunnels: SeenTunnel[]
  /** Requests that came to be forwarded in the open. */
  readonly openRequests: string[]
}

/** A real CONNECT proxy that leads every host to the same server, or answers each CONNECT with `refusal`. */
export async function startWebProxy(server: URL, refusal?: string): Promise<WebProxy> {
  const tunnels: SeenTunnel[] = []
  const openRequests: string[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer((request, response) => {
    openRequests.push(request.url ?? '')
    response.writeHead(500).end()
  })
  proxy.on('connect', async (request, client: Socket) => {
    const chunks: Buffer[] = []
    tunnels.push({ target: request.url ?? '', headers: request.headers, passed: () => Buffer.concat(chunks) })
    sockets.add(client.on('error', () => {}))
    if (refusal !== undefined) {
      client.end(refusal)
      return
    }
    const upstream = connect(Number(server.port), '127.0.0.1')
    sockets.add(upstream.on('error', () => {}))
    await once(upstream, 'connect')
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    client
      .on('data', (chunk) => chunks.push(chunk))
      .pipe(upstream)
      .pipe(client)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { url: await listen(proxy), tunnels, openRequests }
}
