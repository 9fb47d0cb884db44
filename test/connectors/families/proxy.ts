import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { EffectType } from '../emulators/emulator.ts'

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

/** Passes every request on unchanged, so that links in answers lead here again, and counts the writes. */
export async function startProxy(target: string): Promise<Proxy> {
  const effects = { created: 0, updated: 0, deleted: 0 }
  const server = createServer((asked, answer) => {
    const { method = 'GET', url, headers } = asked
    const passed = request(new URL(url ?? '/', target), { method, headers }, (answered) => {
      const { statusCode = 500 } = answered
      const effect = EFFECTS[method]
      if (effect && statusCode < 300) effects[effect] += 1
      answer.writeHead(statusCode, answered.headers)
      answered.pipe(answer)
    })
    passed.on('error', (error) => answer.destroy(error))
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects: (type) => effects[type],
  }
}
