import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What becomes of a request: a status answers it, a promise holds it back until it resolves, undefined passes it on. */
export type Fate = number | Promise<void> | undefined

/** A proxy in front of a service, for faults that are the network's. Returns its URL. */
export async function startProxy(target: string, fate: (method: string, path: string) => Fate): Promise<string> {
  const proxy = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const decided = fate(method, url)
    if (typeof decided === 'number') return void response.writeHead(decided).end()
    await decided
    request(`${target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end(Buffer.concat(chunks))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
