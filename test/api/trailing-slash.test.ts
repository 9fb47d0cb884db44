import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/api/errors/failure.ts'
import { createSender } from '../../src/api/writes/sender.ts'
import { type Answering, sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, CRM, failureOf, NO_KEY, SERVER_TERMS } from './client-fixture.ts'
import { TRANSPORTS } from './transports.ts'

/** As Django with APPEND_SLASH: a path without the slash is elsewhere, for good. */
const DJANGO: Answering = (response, { method, path }) => {
  const [only = '', query] = path.split('?')
  if (!only.endsWith('/')) {
    response.writeHead(301, { location: `${only}/${query === undefined ? '' : `?${query}`}` }).end()
  } else if (method === 'GET') sendJson(response, 200, { data: [{ id: 1 }], next_cursor: null })
  else if (method === 'DELETE') response.writeHead(204).end()
  else sendJson(response, method === 'POST' ? 201 : 200, { id: 1 })
}

const asked = (seen: readonly { method: string; path: string }[]) => seen.map(({ method, path }) => `${method} ${path}`)

describe.each(TRANSPORTS)('over $over', ({ openClient, requestsBeforeUndici }) => {
  test('a redirect to a trailing slash is followed with method and body, and remembered for each kind of path', async () => {
    const { url, seen } = await startServer(DJANGO)
    const { contacts, notes } = openClient(url).api
    await contacts.create({ name: 'Ada' }, NO_KEY)
    await contacts.create({ name: 'Bea' }, NO_KEY)
    await allPages(contacts.list(ALL))
    await contacts.update('1', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })
    await contacts.delete('2', { ifMatch: undefined })
    await notes('3').create({ body: 'x' }, NO_KEY)
    expect(asked(seen)).toEqual([
      'POST /v1/contacts',
      'POST /v1/contacts/',
      'POST /v1/contacts/',
      'GET /v1/contacts/?limit=2',
      'PATCH /v1/contacts/1',
      'PATCH /v1/contacts/1/',
      'DELETE /v1/contacts/2/',
      'POST /v1/deals/3/notes',
      'POST /v1/deals/3/notes/',
    ])
    expect(seen[1]?.body).toBe('{"name":"Ada"}')
    expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key'])
  })

  test('it is remembered after a prefix as well, and a slash can be removed', async () => {
    const { url, seen } = await startServer((response, { path }) =>
      path.endsWith('/')
        ? response.writeHead(308, { location: path.slice(0, -1) }).end()
        : sendJson(response, 200, { id: 1 }),
    )
    const { raw } = openClient(new URL('/api', url)).api
    const request = { method: 'PATCH', headers: [], bytes: undefined, idempotencyKey: 'k' } as const
    for (const id of [1, 2]) await raw.send({ ...request, path: `/v1/contacts/${id}/` })
    expect(asked(seen)).toEqual(['PATCH /api/v1/contacts/1/', 'PATCH /api/v1/contacts/1', 'PATCH /api/v1/contacts/2'])
  })

  test('a write that Django with DEBUG refuses without a slash is sent with one', async () => {
    const { url, seen } = await startServer((response, { path }) =>
      path.endsWith('/')
        ? sendJson(response, 201, { id: 1 })
        : response
            .writeHead(500, { 'content-type': 'text/plain' })
            .end(
              "RuntimeError: You called this URL via POST, but the URL doesn't end in a slash and you have APPEND_SLASH set.",
            ),
    )
    await expect(openClient(url).api.contacts.create({ name: 'Ada' }, NO_KEY)).resolves.toEqual({ id: 1 })
    expect(seen).toHaveLength(2)
  })

  test('a job has one redirect, not one for each row', async () => {
    const { url, seen } = await startServer(DJANGO)
    const sender = createSender({
      ...{
        baseUrl: url,
        key: 'k',
        terms: SERVER_TERMS,
        connector: CRM(url, SERVER_TERMS),
        timeoutMs: 5000,
        userAgent: 'crm',
        now: Date.now,
        debug: undefined,
      },
      requestsBeforeUndici,
      connections: 1,
    })
    const write = {
      kind: 'create',
      resource: 'contact',
      body: Buffer.from('{}'),
      ifMatch: undefined,
      action: 'create',
    } as const
    await sender.ask('contact')
    for (const key of ['a', 'b', 'c']) {
      const outcome = await sender.send({ ...write, idempotencyKey: key })
      expect(isFailure(outcome)).toBe(false)
    }
    await sender.close()
    expect(seen).toHaveLength(5)
  })

  test.each([
    ['another origin', 301, 'http://other.invalid/v1/contacts/'],
    ['another path', 301, '/v2/contacts/'],
    ['another query', 301, '/v1/contacts/?all=1'],
    ['for now', 302, '/v1/contacts/'],
    ['with GET', 303, '/v1/contacts/'],
  ])('a redirect to %s is not followed', async (_, status, location) => {
    const { url, seen } = await startServer((response) => response.writeHead(status, { location }).end())
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.message).toContain('redirects are never followed')
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('redirects back and forth end', async () => {
    const { url, seen } = await startServer((response, { path }) =>
      response.writeHead(301, { location: path.endsWith('/') ? path.slice(0, -1) : `${path}/` }).end(),
    )
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.code).toBe('rejected')
    expect(seen).toHaveLength(2)
  })
})
