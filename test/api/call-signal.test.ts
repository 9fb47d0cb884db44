import { expect, test } from 'vitest'
import { SYSTEM_TIMING } from '../../src/api/timing.ts'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, failureOf, NO_KEY, openClient } from './client-fixture.ts'
import { startLimitedApp } from './limited-app.ts'

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

test('one that leaves the queue before a limit lets nobody pass, and the others still go in their turn', async () => {
  const one = new AbortController()
  const { url, counts } = await startLimitedApp('draft-7', 2, 1000)
  const { api } = openClient(url, { onWait: () => one.abort() }, SYSTEM_TIMING)
  await api.contacts.create({}, NO_KEY)
  await api.contacts.create({}, NO_KEY)
  // The first waits for the window, and its notice ends the second, which stands behind it.
  const first = api.contacts.create({}, NO_KEY)
  const second = failureOf(api.contacts.create({}, { ...NO_KEY, signal: one.signal }))
  const third = api.contacts.create({}, NO_KEY)
  expect((await second).code).toBe('interrupted')
  expect(counts).toMatchObject({ created: 2, refused: 0 })
  await Promise.all([first, third])
  expect(counts).toMatchObject({ created: 4, refused: 0 })
})

test.each([undefined, null, 7])('%j is refused as an id before anything is sent', async (id) => {
  const { url, seen } = await startServer((response) => response.writeHead(204).end())
  const { api } = openClient(url)
  const error = await failureOf(api.contacts.delete(id as unknown as string, {} as { ifMatch: undefined }))
  expect(error.message).toBe(`${id} is not the id of a contact`)
  expect(seen).toEqual([])
})
