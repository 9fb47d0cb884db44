import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers the nth request, counted from 1. */
export type Answering = (response: ServerResponse, request: SeenRequest, nth: number) => void

/** A real HTTP server for one test, and what it was asked. */
export async function startServer(answer: Answering): Promise<{ url: URL; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    seen.push(one)
    answer(response, one, seen.length)
  })
  onTestFinished(() => server.closeAllConnections())
  return { url: await listen(server), seen }
}

/** A server that speaks as it likes on each connection, for answers that no HTTP library would send. */
export async function startTcpServer(converse: (socket: Socket, nth: number) => void): Promise<URL> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    converse(socket, connections)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return listen(server)
}

export async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

export function sendJson(response: ServerResponse, status: number, json: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(json))
}
