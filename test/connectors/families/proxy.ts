import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Disturbance } from '../claims.ts'
import { countWindows, type EffectType } from '../emulators/emulator.ts'

const EFFECTS: Readonly<Record<string, EffectType>> = {
  POST: 'created',
  PUT: 'updated',
  PATCH: 'updated',
  DELETE: 'deleted',
}

export interface Proxy {
  readonly url: string
  /** How many writes the server answered with a 2xx. */
  effects(type: EffectType): number
}

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Passes every request on unchanged, so that links in answers lead here again, and counts the writes. As reverse proxies do, it
 * reads a request whole before it passes it on, and refuses those above a limit itself.
 */
export async function startProxy(
  target: string,
  { rate, loses, cleanUp = onTestFinished }: Disturbance = {},
): Promise<Proxy> {
  const effects = { created: 0, updated: 0, deleted: 0 }
  const windowNow = countWindows(rate)

  const pass = async ({ method, path, headers, body }: Received): Promise<IncomingMessage> => {
    const passed = request(new URL(path, target), { method, headers })
    passed.end(body)
    const [answered] = (await once(passed, 'response')) as [IncomingMessage]
    const effect = EFFECTS[method]
    if (effect && (answered.statusCode ?? 500) < 300) effects[effect] += 1
    return answered
  }

  const server = createServer(async (asked, answer) => {
    const { method = 'GET', url: path = '/', headers } = asked
    try {
      const received = { method, path, headers, body: await buffer(asked) }
      const window = windowNow()
      if (window && window.remaining < 0) {
        const seconds = Math.max(1, Math.ceil((window.resetAt - Date.now()) / 1000))
        answer.writeHead(429, { 'retry-after': `${seconds}`, 'content-type': 'text/plain' }).end('Too Many Requests\n')
        return
      }
      const isLost = loses?.({ method, path: new URL(path, target).pathname }) ?? false
      const answered = await pass(received)
      if (isLost) {
        await buffer(answered)
        asked.socket.resetAndDestroy()
        return
      }
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    } catch {
      // The client is gone, or the server: the other side sees a broken connection.
      answer.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects: (type) => effects[type],
  }
}
