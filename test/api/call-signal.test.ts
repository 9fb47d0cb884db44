import { describe, expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, failureOf, NO_KEY } from './client-fixture.ts'
import { TRANSPORTS } from './transports.ts'

describe.each(TRANSPORTS)('over $over', ({ openClient }) => {
  test('the signal of a call ends that call at once, and no other', async () => {
    const one = new AbortController()
    const { url } = await startServer((response, request) => {
      if (request.body.includes('slow')) one.abort()
      else sendJson(response, 201, { id: 'con_1' })
    })
    const { api } = openClient(url)
    const slow = failureOf(api.contacts.create({ name: 'slow' }, { ...NO_KEY, signal: one.signal }))
    const quick = api.contacts.create({ name: 'quick' }, NO_KEY)
    expect((await slow).code).toBe('interrupted')
    expect((await slow).details.idempotencyKey).toBeDefined()
    await expect(quick).resolves.toEqual({ id: 'con_1' })
  })

  test('the signal of a list ends it between two pages', async () => {
    const one = new AbortController()
    const { url, seen } = await startServer((response, _request, nth) => {
      sendJson(response, 200, { data: [{ id: `con_${nth}` }], next_cursor: `c${nth}` })
    })
    const pages = openClient(url).api.contacts.list({ ...ALL, signal: one.signal })
    const taking = (async () => {
      for await (const _ of pages) one.abort()
    })()
    expect((await failureOf(taking)).code).toBe('interrupted')
    expect(seen).toHaveLength(1)
  })

  test('one that leaves the queue before a limit lets no other pass, and the others still go in their turn', async () => {
    const one = new AbortController()
    const reset = Promise.withResolvers<void>()
    const { url, seen } = await startServer((response, _request, nth) => {
      const remaining = nth === 1 ? 0 : 9
      sendJson(response, 201, { id: 'x' }, { ratelimit: `limit=10, remaining=${remaining}, reset=30` })
    })
    const { api } = openClient(url, {}, { sleep: () => reset.promise })
    const create = (name: string, signal?: AbortSignal) => api.contacts.create({ name }, { ...NO_KEY, signal })
    await create('before')
    const first = create('first')
    const second = failureOf(create('second', one.signal))
    const third = create('third')
    one.abort()
    expect((await second).code).toBe('interrupted')
    expect(seen).toHaveLength(1)
    reset.resolve()
    await Promise.all([first, third])
    expect(seen.map(({ body }) => JSON.parse(body).name)).toEqual(['before', 'first', 'third'])
  })

  test.each([undefined, null, 7])('%j is refused as an id before anything is sent', async (id) => {
    const { url, seen } = await startServer((response) => response.writeHead(204).end())
    const { api } = openClient(url)
    const error = await failureOf(api.contacts.delete(id as unknown as string, {} as { ifMatch: undefined }))
    expect(error.message).toBe(`${id} is not the id of a contact`)
    expect(seen).toEqual([])
  })
})
