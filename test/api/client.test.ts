import { expect, test } from 'vitest'
import { SYSTEM_TIMING } from '../../src/api/transport/timing.ts'
import { sendJson, startServer, startTcpServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient } from './client-fixture.ts'

test('a redirect is not followed, and the key is sent to no other origin', async () => {
  const elsewhere = await startServer((response) => sendJson(response, 200, { id: 'con_1' }))
  const { url, seen } = await startServer((response) => {
    response.writeHead(307, { location: `${elsewhere.url.href}v1/contacts` }).end()
  })
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('rejected')
  expect(error.message).toBe(
    `cannot create the contact: ${url.origin} redirects to ${elsewhere.url.origin} (307), and redirects are never followed`,
  )
  expect(seen).toHaveLength(1)
  expect(elsewhere.seen).toHaveLength(0)
})

test('a cursor that looks like an address is sent back as a cursor and not visited', async () => {
  const elsewhere = await startServer((response) => sendJson(response, 200, []))
  const { url, seen } = await startServer((response, _request, nth) =>
    sendJson(response, 200, { data: [], next_cursor: nth === 1 ? elsewhere.url.href : null }),
  )
  await allPages(openClient(url).api.contacts.list(ALL))
  expect(seen[1]?.path).toContain(`cursor=${encodeURIComponent(elsewhere.url.href)}`)
  expect(elsewhere.seen).toHaveLength(0)
})

test('close ends idle connections at once and may be called twice', async () => {
  const { url } = await startServer((response) => sendJson(response, 201, { id: 'con_1' }))
  const { api } = openClient(url)
  await api.contacts.create({}, NO_KEY)
  const startedMs = Date.now()
  await api.close()
  await api.close()
  expect(Date.now() - startedMs).toBeLessThan(5000)
})

test('close lets what is under way end, but not for longer than a second', async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { url } = await startServer(() => arrive())
  const { api } = openClient(url)
  const failure = failureOf(api.contacts.create({}, { idempotencyKey: 'mine' }))
  await arrived
  const startedMs = Date.now()
  await api.close()
  expect(Date.now() - startedMs).toBeLessThan(3000)
  const error = await failure
  expect(error.code).toBe('interrupted')
  expect(error.details.idempotencyKey).toBe('mine')
})

test('close ends the waits of abandoned calls', async () => {
  const { url } = await startServer((response) => sendJson(response, 429, {}, { 'retry-after': '30' }))
  const { promise: waiting, resolve: wait } = Promise.withResolvers<void>()
  const { api } = openClient(url, { onWait: () => wait() }, SYSTEM_TIMING)
  const failure = failureOf(api.contacts.create({}, NO_KEY))
  await waiting
  await api.close()
  expect((await failure).code).toBe('interrupted')
})

test('close ends a connection that does not come about', async () => {
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
  // A TLS handshake with a server that says nothing never ends by itself.
  const { port } = await startTcpServer(() => connect())
  const { api } = openClient(new URL(`https://127.0.0.1:${port}`))
  const failure = failureOf(api.contacts.create({}, { idempotencyKey: 'mine' }))
  await connected
  const startedMs = Date.now()
  await api.close()
  expect(Date.now() - startedMs).toBeLessThan(5000)
  expect((await failure).details.idempotencyKey).toBeUndefined()
})

test('a call after close is an error, not a hang', async () => {
  const { api } = openClient(new URL('http://127.0.0.1:9'))
  await api.close()
  expect((await failureOf(api.contacts.create({}, NO_KEY))).code).toBe('interrupted')
})
