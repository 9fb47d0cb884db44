import { describe, expect, test } from 'vitest'
import { mayFollowHandling } from '../../src/api/errors/status-failure.ts'
import type { Call, Method } from '../../src/api/transport/call.ts'
import { baseHeaders, ifMatchHeader } from '../../src/api/transport/headers.ts'
import { CrmError } from '../../src/core/errors.ts'
import { type Answering, sendJson, startServer, startTcpServer } from './answering-server.ts'
import { ALL, allPages, CRM, failureOf, NO_KEY, openClient, SERVER_TERMS } from './client-fixture.ts'
import { TRANSPORTS } from './transports.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Fails with the statuses in turn, then answers 201. */
function failing(...statuses: readonly number[]): Answering {
  return (response, _request, nth) => {
    const status = statuses[nth - 1]
    if (status === undefined) sendJson(response, 201, { id: 'con_1' })
    else sendJson(response, status, { detail: `down the ${nth}. time` })
  }
}

describe.each(TRANSPORTS)('over $over', ({ openClient }) => {
  test('a write carries the key, its type, an idempotency key and who sends it', async () => {
    const { url, seen } = await startServer(failing())
    await openClient(url).api.contacts.create({ name: 'Ada' }, NO_KEY)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/v1/contacts', body: '{"name":"Ada"}' })
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer crm_key_of_the_test',
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'crm/0.0.0',
      'idempotency-key': expect.stringMatching(UUID),
    })
  })

  test('a read carries neither a type nor an idempotency key', async () => {
    const { url, seen } = await startServer((response) => response.writeHead(204).end())
    await openClient(url).api.contacts.delete('con_1', { ifMatch: undefined })
    expect(seen[0]?.headers).not.toHaveProperty('content-type')
    expect(seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('the path of the base address stays in front', async () => {
    const { url, seen } = await startServer(failing())
    await openClient(new URL('/crm/eu/', url)).api.contacts.create({}, NO_KEY)
    expect(seen[0]?.path).toBe('/crm/eu/v1/contacts')
  })

  test('all tries of a write carry one idempotency key, under the header that the profile names', async () => {
    const { url, seen } = await startServer(failing(500, 503, 429))
    const { api, waits } = openClient(url, { terms: { ...SERVER_TERMS, idempotencyHeader: 'X-Once' } })
    await expect(api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_1' })
    const keys = seen.map((request) => request.headers['x-once'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(waits).toEqual([250, 500, 1000])
  })

  test('two writes have two keys, and a key that was given is used', async () => {
    const { url, seen } = await startServer(failing())
    const { api } = openClient(url)
    await api.contacts.create({}, NO_KEY)
    await api.contacts.create({}, NO_KEY)
    await api.contacts.create({}, { idempotencyKey: 'mine' })
    const keys = seen.map((request) => request.headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
  })

  test.each([408, 500, 502, 503, 504])(
    '%i is retried three times, then reported as in doubt with the key',
    async (status) => {
      const { url, seen } = await startServer((response) => sendJson(response, status, { detail: 'down' }))
      const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
      expect(seen).toHaveLength(4)
      expect(error.message).toBe(
        `cannot create the contact: down (${status}), after 4 tries; it is unknown whether the server applied it`,
      )
      const key = seen[0]?.headers['idempotency-key']
      expect(error.details).toMatchObject({ status, isRetryable: true, idempotencyKey: key })
      expect(error.details.hint).toContain(`--idempotency-key ${key}`)
    },
  )

  test.each([400, 401, 403, 404, 409, 410, 412, 413, 422, 501])('%i is not retried', async (status) => {
    const { url, seen } = await startServer((response) => sendJson(response, status, { detail: 'no' }))
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(seen).toHaveLength(1)
    expect(error.details.isRetryable).toBe(false)
  })

  test('a write that was refused is not in doubt', async () => {
    const { url } = await startServer((response) => sendJson(response, 422, { detail: 'no' }))
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.message).toBe('cannot create the contact: no (422)')
    expect(error.details.idempotencyKey).toBeUndefined()
  })

  test('doubt that an earlier try left stays when the last one fails otherwise', async () => {
    const { url } = await startServer(failing(500, 401))
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('unauthorized')
    expect(error.message).toContain('it is unknown whether the server applied it')
    expect(error.details.idempotencyKey).toMatch(UUID)
  })

  test('a write whose key is still at work is waited for', async () => {
    const { url, seen } = await startServer((response, _request, nth) => {
      if (nth === 3) sendJson(response, 201, { id: 'con_1' })
      else sendJson(response, 409, { code: 'idempotency_in_progress' }, { 'retry-after': '1' })
    })
    const { api, waits, notices } = openClient(url)
    await api.contacts.create({}, NO_KEY)
    expect(seen).toHaveLength(3)
    expect(waits).toEqual([1000, 1000])
    expect(notices[0]).toBe('1000 idempotency_in_progress (409)')
  })

  test('a rate limit beyond the longest wait is reported at once, with the time it asks for', async () => {
    const { url, seen } = await startServer((response) =>
      sendJson(response, 429, { detail: 'slow down' }, { 'retry-after': '120' }),
    )
    const { api, waits } = openClient(url)
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(seen).toHaveLength(1)
    expect(waits).toEqual([])
    expect(error.code).toBe('rate_limited')
    expect(error.details).toMatchObject({ status: 429, retryAfterMs: 120_000, isRetryable: true })
    expect(error.details.idempotencyKey).toBeUndefined()
  })

  test('rate limits are waited for as often as they come, until the longest wait is used up', async () => {
    const { url, seen } = await startServer((response) => sendJson(response, 429, {}, { 'retry-after': '1' }))
    const { api, waits } = openClient(url, { maxWaitMs: 5000 })
    const error = await failureOf(api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('rate_limited')
    expect(waits).toEqual([1000, 1000, 1000, 1000, 1000])
    expect(seen).toHaveLength(6)
  })

  test.each([
    ['Retry-After', { 'retry-after': '2' }, [2000]],
    ['no requests left', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' }, [2000]],
  ])('a 403 with %s is a rate limit, and is retried after the wait (GitHub)', async (_, headers, waited) => {
    const { url, seen } = await startServer((response, _request, nth) =>
      nth === 1 ? sendJson(response, 403, { message: 'slow down' }, headers) : sendJson(response, 201, { id: 'con_1' }),
    )
    const { api, waits } = openClient(url)
    expect(await api.contacts.create({ name: 'Ada' }, NO_KEY)).toMatchObject({ id: 'con_1' })
    expect(waits).toEqual(waited)
    expect(seen[0]?.headers['idempotency-key']).toBe(seen[1]?.headers['idempotency-key'])
  })

  test('a 403 with requests left is a refusal', async () => {
    const headers = { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '2' }
    const { url, seen } = await startServer((response) => sendJson(response, 403, {}, headers))
    expect(await failureOf(openClient(url).api.contacts.create({}, NO_KEY))).toMatchObject({ code: 'forbidden' })
    expect(seen).toHaveLength(1)
  })

  test('a Retry-After date is waited for without jitter', async () => {
    const { url } = await startServer((response, _request, nth) => {
      response.sendDate = false
      const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' }
      if (nth === 1) sendJson(response, 503, {}, headers)
      else sendJson(response, 201, { id: 'con_1' })
    })
    const now = () => Date.parse('2026-01-01T00:00:00Z')
    const { api, waits } = openClient(url, { now }, { random: () => 0 })
    await api.contacts.create({}, NO_KEY)
    expect(waits).toEqual([2000])
  })

  test.each([404, 410])('deleting what an earlier, unanswered try deleted is success (%i)', async (status) => {
    const { url, seen } = await startServer((response, _request, nth) => {
      if (nth === 1) response.destroy()
      else sendJson(response, status, { detail: 'no such contact' })
    })
    await openClient(url).api.contacts.delete('con_1', { ifMatch: undefined })
    expect(seen).toHaveLength(2)
  })

  test('deleting what was not there is not found, also behind a rate limit', async () => {
    const { url } = await startServer(failing(429, 404))
    const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined }))
    expect(error.code).toBe('not_found')
    expect(error.message).toBe('cannot delete contact con_1: down the 2. time (404), after 2 tries')
    expect(error.details.hint).toBe('crm contacts list')
  })

  test('a connection that was reset is tried again with the same key', async () => {
    const { url, seen } = await startServer((response, _request, nth) => {
      if (nth === 1) response.destroy()
      else sendJson(response, 201, { id: 'con_1' })
    })
    await openClient(url).api.contacts.create({}, NO_KEY)
    expect(new Set(seen.map((request) => request.headers['idempotency-key'])).size).toBe(1)
  })

  test('a read whose body was cut off is tried again', async () => {
    const url = await startTcpServer((socket, nth) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n{"data"')
        if (nth === 1) socket.destroy()
        else socket.end(':[],"next_cursor":null}')
      })
    })
    const { api, waits } = openClient(url)
    await expect(allPages(api.contacts.list(ALL))).resolves.toEqual([{ items: [], nextCursor: undefined }])
    expect(waits).toEqual([250])
  })

  test('debug reports every try and wait, and never the key or a body', async () => {
    const { url } = await startServer((response, _request, nth) => {
      if (nth === 1) sendJson(response, 503, { detail: 'busy' }, { 'x-request-id': 'req_1' })
      else sendJson(response, 201, { id: 'con_secret' }, { 'x-request-id': 'req_2' })
    })
    const { api, debugLines } = openClient(url)
    await api.contacts.create({ name: 'Ada' }, { idempotencyKey: 'mine' })
    expect(debugLines.map((line) => line.replace(/\d+ ms, try/, 'N ms, try'))).toEqual([
      'POST /v1/contacts: 503, N ms, try 1, request req_1',
      'wait 250 ms: busy (503)',
      'POST /v1/contacts: 201, N ms, try 2, request req_2',
    ])
  })
})

test.each([
  ['3', '"3"'],
  ['"3"', '"3"'],
  ['W/"3"', 'W/"3"'],
  ['*', '*'],
])('the entity tag %s is sent as %s', (tag, header) => {
  expect(ifMatchHeader(tag)).toBe(header)
})

test.each(['', '"', 'a b', '3"', 'a\r\nX: y', 'ü'])('%j is not an entity tag', (tag) => {
  expect(() => ifMatchHeader(tag)).toThrow(CrmError)
})

test.each(['', 'a b', 'a\r\nX: y', 'schlüssel', 'k'.repeat(256)])(
  '%j is no idempotency key',
  async (idempotencyKey) => {
    const { url, seen } = await startServer((response) => response.writeHead(201).end('{}'))
    const error = await failureOf(openClient(url).api.contacts.create({}, { idempotencyKey }))
    expect(error.code).toBe('invalid_input')
    expect(seen).toHaveLength(0)
  },
)

test.each(['', 'crm_key_a b', 'crm_key_ü', 'crm_key_a\n'])(
  'a key that no header can carry is refused and not shown',
  (key) => {
    const refused = () => baseHeaders({ key, connector: CRM(BASE, SERVER_TERMS), userAgent: 'crm/0' })
    expect(refused).toThrow(CrmError)
    expect(refused).not.toThrow(/crm_key_/)
  },
)

const BASE = new URL('https://crm.example/auth/api')

const isInDoubt = (method: Method, path: string, status: number, location: string) => {
  const call: Call = { method, path, action: 'write', command: 'crm', findCommand: undefined }
  return mayFollowHandling(call, { status, headers: { location }, body: Buffer.alloc(0) }, BASE)
}

test.each<[Method, string, string]>([
  ['POST', '/v1/contacts', 'http://crm.example/auth/api/v1/contacts'],
  ['POST', '/v1/contacts', 'http://10.0.0.7:3000/v1/contacts/con_9'],
  ['DELETE', '/v1/contacts/con_1', 'http://10.0.0.7:3000/v1/contacts'],
  ['DELETE', '/v1/contacts/con_1', '/auth/api/v1/contacts'],
  ['PATCH', '/v1/contacts/con_1', '/contacts/con_1'],
])('%s %s may be handled where it leads to %s', (method, path, location) => {
  for (const status of [301, 302, 303]) expect(isInDoubt(method, path, status, location)).toBe(true)
  for (const status of [300, 307, 308]) expect(isInDoubt(method, path, status, location)).toBe(false)
})

test.each<[Method, string, string]>([
  ['POST', '/v1/contacts', 'https://new.example/v1/contacts'],
  ['PATCH', '/v1/contacts/con_1', 'https://new.example/v1/contacts/con_1'],
  ['POST', '/v1/contacts', '/auth/login?next=/v1/contacts'],
  ['DELETE', '/v1/contacts/con_1', 'https://sso.example/realms/1/start'],
])('%s %s is not handled where it leads to %s', (method, path, location) => {
  for (const status of [301, 302, 303]) expect(isInDoubt(method, path, status, location)).toBe(false)
})

test('a read is never in doubt', () => {
  expect(isInDoubt('GET', '/v1/contacts', 302, '/contacts')).toBe(false)
})
