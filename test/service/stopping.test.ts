import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { serveForTest } from './serve-for-test.ts'

test('a service that drains answers, and is not ready', async () => {
  const { server, send } = await serveForTest()
  expect((await send('GET', '/readyz')).status).toBe(200)
  const drained = server.drain(200)
  expect(await send('GET', '/readyz')).toMatchObject({
    status: 503,
    json: { code: 'not_ready', detail: 'the service is stopping' },
  })
  expect((await send('POST', '/v1/contacts', { name: 'Ada' })).status).toBe(201)
  expect((await send('GET', '/healthz')).status).toBe(200)
  await drained
})

/** Sends requests on one connection until none is accepted any more; the errors but that. */
async function hammer(
  url: string,
  key: string,
  onAnswer: () => void,
): Promise<{ readonly answers: number; readonly errors: readonly string[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const errors: string[] = []
  let answers = 0
  for (;;) {
    const outcome = await new Promise<IncomingMessage | NodeJS.ErrnoException>((resolve) => {
      const headers = { authorization: `Bearer ${key}` }
      request(`${url}/v1/contacts?limit=1`, { agent, headers }, resolve).on('error', resolve).end()
    })
    if (outcome instanceof Error) {
      if (outcome.code === 'ECONNREFUSED') return { answers, errors }
      errors.push(outcome.code ?? outcome.message)
      if (errors.length > 5) return { answers, errors }
      continue
    }
    answers += 1
    for await (const _ of outcome);
    onAnswer()
  }
}

test('32 clients that keep their connections and send all the time see no reset when the service ends', async () => {
  const { server, url, key } = await serveForTest()
  // A client that has no connection yet may be reset by any server that stops listening.
  const connected = Array.from({ length: 32 }, () => Promise.withResolvers<void>())
  const clients = connected.map(({ resolve }) => hammer(url, key.text, resolve))
  await Promise.all(connected.map(({ promise }) => promise))
  await server.drain(100)
  await server.close(200)
  const ended = await Promise.all(clients)
  expect(ended.flatMap(({ errors }) => errors)).toEqual([])
  expect(ended.every(({ answers }) => answers > 0)).toBe(true)
})

test('a connection without a request is closed in the end', async () => {
  const { server, url, key } = await serveForTest()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key.text}` }
    request(`${url}/v1/contacts`, { agent, headers }, (answer) => answer.resume().on('end', resolve)).end()
  })
  const startedMs = performance.now()
  await server.close(100)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(95)
  agent.destroy()
})
