import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Notice } from '../../src/api/options.ts'
import { readRetirement } from '../../src/api/transport/headers.ts'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient } from './client-fixture.ts'

test('a missing content type does not matter, nor does a byte order mark', async () => {
  const { url } = await startServer((response) => response.writeHead(201).end('\ufeff{"id":"con_1"}'))
  await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_1' })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('an answer that was compressed unasked (%s) is read, and no coding is asked for', async (coding, compress) => {
  const { url, seen } = await startServer((response) =>
    response.writeHead(201, { 'content-encoding': coding }).end(compress(Buffer.from('{"id":"con_ü"}'))),
  )
  await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_ü' })
  expect(seen[0]?.headers).not.toHaveProperty('accept-encoding')
})

test('an error that was compressed is read as well', async () => {
  const { url } = await startServer((response) =>
    response.writeHead(422, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.from('{"message":"no such stage"}'))),
  )
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toBe('cannot create the contact: no such stage (422)')
})

test('an error whose body cannot be read keeps its status', async () => {
  const { url } = await startServer((response) => response.writeHead(403, { 'content-encoding': 'gzip' }).end('x'))
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('forbidden')
  expect(error.message).toBe(`cannot create the contact: ${url.origin} answered 403`)
})

test('a small answer that grows beyond 64 MiB is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20))
  const { url } = await startServer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.message).toContain('the decompressed answer is larger than 64 MiB')
})

test.each([
  ['application/json; charset=iso-8859-1', Buffer.from('{"id":"\xe9"}', 'latin1')],
  ['application/json; charset="utf-16le"', Buffer.from('{"id":"é"}', 'utf16le')],
  ['application/json; charset=iso-8859-1', Buffer.from('{"id":"é"}')],
])('%s is read by its bytes first, then by its label', async (type, body) => {
  const { url } = await startServer((response) => response.writeHead(201, { 'content-type': type }).end(body))
  await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'é' })
})

test('a page of 5 MB is read', async () => {
  const data = Array.from({ length: 5000 }, (_, n) => ({ id: `con_${n}`, text: 'x'.repeat(1000) }))
  const { url } = await startServer((response) => sendJson(response, 200, { data, next_cursor: null }))
  const [page] = await allPages(openClient(url).api.contacts.list(ALL))
  expect(page?.items).toHaveLength(5000)
})

const COMPRESS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }

const UNREADABLE: readonly (readonly [what: string, body: string | Buffer, headers: object, reason: string])[] = [
  [
    'an HTML page',
    '<!doctype html><title>Sign in</title>',
    {},
    'the server sent an HTML page instead of JSON: "Sign in"',
  ],
  ['truncated JSON', '{"id":"con_', {}, 'the answer is not JSON: {"id":"con_'],
  ['text', 'OK', {}, 'the answer is not JSON: OK'],
  ['bytes that are not UTF-8', Buffer.from('{"id":"\xe9"}', 'latin1'), {}, 'the answer is not UTF-8'],
  [
    'a broken gzip',
    Buffer.from('1f8b0800zz', 'latin1'),
    { 'content-encoding': 'gzip' },
    'the content encoding gzip, but is not compressed',
  ],
  ['an unknown coding', 'x', { 'content-encoding': 'compress' }, 'unknown content encoding (compress)'],
]

test.each(UNREADABLE)('%s leaves a write in doubt', async (_what, body, headers, reason) => {
  const { url, seen } = await startServer((response) => response.writeHead(200, { ...headers }).end(body))
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.message).toContain(reason)
  expect(error.message).toContain('it is unknown whether the server applied it')
  expect(error.details.idempotencyKey).toBe(seen[0]?.headers['idempotency-key'])
  // Sent once, and then looked for.
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET'])
})

test.each([
  [{ success: false, data: [], next_cursor: null }],
  [{ ok: false, data: [{ id: 1 }], next_cursor: null }],
  [{ errors: [{ message: 'no scope' }], data: [{ id: 1 }], next_cursor: null }],
])('a list answered with %j is refused', async (json) => {
  const { url } = await startServer((response) => sendJson(response, 200, json))
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error).toMatchObject({ code: 'rejected', exit: 7 })
})

test.each([204, 200])('an empty %i where a list is needed is a bad answer', async (status) => {
  const { url } = await startServer((response) => response.writeHead(status).end())
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.message).toBe('cannot list contacts: expected a list at data[], got no JSON')
})

test.each([
  [204, ''],
  [200, ''],
])('a delete takes %i with %j as done', async (status, body) => {
  const { url } = await startServer((response) => response.writeHead(status).end(body))
  await expect(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined })).resolves.toBeUndefined()
})

test.each(['', '{"id":"con_1"}', '{"id":"con_1","status":"queued"}', '{"data":{"id":"con_1","state":"processing"}}'])(
  'a delete answered with 202 and %j is in doubt, and names how to look',
  async (body) => {
    const { url, seen } = await startServer((response) => response.writeHead(202).end(body))
    const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined }))
    expect(error).toMatchObject({ code: 'in_doubt', exit: 3, details: { hint: 'crm contacts get con_1' } })
    expect(error.message).toContain('the answer (202) accepts the request without confirming it')
    // A read says that the record is still there, or shows none.
    expect(seen.map(({ method }) => method)).toEqual(['DELETE', 'GET'])
  },
)

test('a delete does not take a page for people as done', async () => {
  const { url } = await startServer((response) => response.writeHead(200).end('<html>Sign in</html>'))
  const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined }))
  expect(error.code).toBe('in_doubt')
})

test.each(['gzip', 'deflate', 'br', 'zstd'] as const)(
  'a list compressed with %s whose end is missing is asked for once more',
  async (name) => {
    const whole = COMPRESS[name](Buffer.from(JSON.stringify({ data: [{ id: 'con_1' }], next_cursor: null })))
    const { url, seen } = await startServer((response, _, nth) =>
      response.writeHead(200, { 'content-encoding': name }).end(nth === 1 ? whole.subarray(0, -4) : whole),
    )
    const [page] = await allPages(openClient(url).api.contacts.list(ALL))
    expect(page?.items).toEqual([{ id: 'con_1' }])
    expect(seen).toHaveLength(2)
  },
)

test('numbers, nesting and odd keys come through as JSON has them', async () => {
  const record = JSON.parse('{"id":"con_1","a":[1.5,{"b":null}],"__proto__":{"x":1},"ключ":"ü"}')
  const { url } = await startServer((response) => sendJson(response, 201, record))
  const created = await openClient(url).api.contacts.create({}, NO_KEY)
  expect(JSON.stringify(created)).toBe(JSON.stringify(record))
})

const SUNSET = 'Wed, 31 Dec 2026 23:59:59 GMT'

test.each<[Record<string, string>, string | undefined]>([
  [{ deprecation: '@1688169599' }, 'deprecated as of 2023-06-30'],
  [{ deprecation: 'true', sunset: SUNSET }, 'deprecated, available until 2026-12-31'],
  [{ deprecation: 'Fri, 30 Jun 2023 23:59:59 GMT' }, 'deprecated as of 2023-06-30'],
  [
    { sunset: SUNSET, link: '</v2/contacts>; rel="successor-version", <https://a.example/d>; rel="deprecation"' },
    'available until 2026-12-31, successor: /v2/contacts, details: https://a.example/d',
  ],
  [{ deprecation: 'maybe', sunset: 'never' }, undefined],
  [{ deprecation: '@99999999999999999999' }, undefined],
  [{ deprecation: '@999999999999' }, undefined],
  [{}, undefined],
])('%j reads %j', (headers, text) => {
  expect(readRetirement(headers)).toBe(text)
})

test('deprecation is reported once, with the server and the request', async () => {
  const { url } = await startServer((response) => sendJson(response, 201, { id: '1' }, { deprecation: '@1688169599' }))
  const notices: Notice[] = []
  const { api } = openClient(url, { onNotice: async (notice) => void notices.push(notice) })
  await api.contacts.create({}, NO_KEY)
  await api.contacts.create({}, NO_KEY)
  expect(notices).toEqual([{ host: url.host, text: `POST /v1/contacts of ${url.origin}: deprecated as of 2023-06-30` }])
})
