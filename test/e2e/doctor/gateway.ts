import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen, type SeenRequest, sendJson } from '../../api/answering-server.ts'

export interface Gateway {
  readonly url: URL
  readonly seen: readonly Pick<SeenRequest, 'method' | 'path' | 'body'>[]
}

/** Stands in front of a server: passes requests on under the path that `forwarder` makes, and answers with `documents` itself. */
export async function startGateway(
  target: string | URL,
  forwarder: (path: string) => string = (path) => path,
  documents: Readonly<Record<string, unknown>> = {},
): Promise<Gateway> {
  const seen: Pick<SeenRequest, 'method' | 'path' | 'body'>[] = []
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method = '', url: path = '', headers } = incoming
    seen.push({ method, path, body: body.toString('utf8') })
    if (path in documents) return sendJson(answer, 200, documents[path])
    const passed = request(new URL(forwarder(path), target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    passed.end(body)
  })
  onTestFinished(() => server.closeAllConnections())
  return { url: await listen(server), seen }
}
