import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import type { Store } from '../../src/service/store/store.ts'
import { openTestStore } from '../harness/database.ts'
import { lastBody, rawRequest } from './raw-request.ts'
import { serveForTest } from './serve-for-test.ts'

async function storeWith(part: Partial<Store>): Promise<Store> {
  return { ...(await openTestStore()), ...part }
}

test('a problem has instance, code and request id, in headers and body', async () => {
  const { send } = await serveForTest()
  const answer = await send('POST', '/v1/contacts', { name: 1 }, { 'x-request-id': 'job-7:a.b_c' })
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(answer.headers.get('x-request-id')).toBe('job-7:a.b_c')
  expect(answer.json).toEqual({
    type: 'about:blank',
    title: 'Unprocessable Content',
    status: 422,
    detail: 'name: expected a string or null, got 1',
    instance: '/v1/contacts',
    code: 'invalid_values',
    request_id: 'job-7:a.b_c',
    errors: [{ pointer: '#/name', code: 'wrong_type', detail: 'expected a string or null, got 1' }],
  })
})

test.each(['', 'a b', 'ü', '<script>', 'x'.repeat(129)])('the request id %j is replaced', async (id) => {
  const { send } = await serveForTest()
  const answer = await send('GET', '/healthz', undefined, { 'x-request-id': id })
  expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/)
})

test('every answer forbids sniffing and storing', async () => {
  const { send } = await serveForTest()
  for (const path of ['/healthz', '/v1/contacts', '/nope']) {
    const { headers } = await send('GET', path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('server')).toBe('crm/1.2.3')
  }
})

test.each([
  ['PUT', '/v1/contacts', 'GET, POST'],
  ['DELETE', '/v1/contacts', 'GET, POST'],
  ['OPTIONS', '/v1/contacts', 'GET, POST'],
  ['POST', '/v1/contacts/con_1', 'GET, PATCH, DELETE'],
  ['PATCH', '/v1/deals', 'GET, POST'],
  ['DELETE', '/v1/deals/deal_1/notes', 'GET, POST'],
  ['PUT', '/v1/webhooks', 'GET, POST'],
  ['POST', '/v1/pipelines', 'GET'],
  ['POST', '/v1/pipelines/sales/stages', 'GET'],
  ['POST', '/healthz', 'GET'],
  ['PROPFIND', '/v1/contacts', 'GET, POST'],
])('%s %s is not allowed, and the answer lists the allowed methods', async (method, path, allow) => {
  const { send } = await serveForTest()
  const answer = await send(method, path)
  expect(answer.json).toMatchObject({ status: 405, code: 'method_not_allowed', instance: path })
  expect(answer.headers.get('allow')).toBe(allow)
})

test('HEAD of a list is not allowed', async () => {
  const { send } = await serveForTest()
  const answer = await send('HEAD', '/v1/contacts')
  expect(answer.status).toBe(405)
  expect(answer.text).toBe('')
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/v2/contacts',
  '/v1/Contacts',
  '/v1/contacts/a/b',
  '/v1/deals/a/notes/b',
  '//v1/contacts',
])('there is nothing at %s', async (path) => {
  const { send } = await serveForTest()
  expect((await send('GET', path)).json).toMatchObject({ status: 404, code: 'not_found' })
  expect((await send('POST', path, { a: 1 })).status).toBe(404)
})

test.each(['/v1/contacts/%', '/v1/contacts/%zz', '/v1/contacts/%ff', '/%c3%28'])(
  'the path %s is malformed',
  async (path) => {
    const { send } = await serveForTest()
    const answer = await send('PATCH', path, { a: 1 })
    expect(answer.json).toMatchObject({ status: 400, code: 'malformed_url' })
    expect(answer.headers.get('x-request-id')).toBe(answer.json.request_id)
  },
)

test.each([
  ['letters in percent-encoding', '/v1/cont%61cts/%63on_%7a', 'con_z'],
  ['the address in front', 'http://crm.example/v1/contacts/con_z', 'con_z'],
  ['a slash in percent-encoding, which is part of the id', '/v1/contacts/a%2Fb', 'a/b'],
])('a path with %s is found', async (_, path, id) => {
  const { url, key } = await serveForTest()
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\nConnection: close\r\n\r\n`
  const { detail } = lastBody(await rawRequest(url, head))
  expect(detail).toBe(`there is no contact ${JSON.stringify(id)}`)
})

test('an id of more than 256 characters is not looked up', async () => {
  const { send } = await serveForTest()
  const { json } = await send('GET', `/v1/contacts/${'x'.repeat(257)}`)
  expect(json).toMatchObject({ status: 404, detail: 'the id is too long' })
})

/** `{"name":"…"}` with these bytes as the text. */
function jsonAround(...bytes: readonly number[]): Uint8Array {
  return Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')])
}

test.each([
  ['', {}, 'body_required'],
  [undefined, {}, 'body_required'],
  // A byte that is never part of UTF-8, an overlong slash, a surrogate, a sequence that is cut off: RFC 3629 sections 3 and 4.
  [jsonAround(0xff), {}, 'malformed_body'],
  [jsonAround(0xc0, 0xaf), {}, 'malformed_body'],
  [jsonAround(0xed, 0xa0, 0x80), {}, 'malformed_body'],
  [jsonAround(0xf0, 0x9f, 0x98), {}, 'malformed_body'],
  ['{"name":"\\ud800"}', {}, 'lone_surrogate'],
  ['{"name":"Ada","name":"Eve"}', {}, 'duplicate_name'],
  ['{"name":"Ada","address":{"city":"Paris","ci\\u0074y":"Rome"}}', {}, 'duplicate_name'],
  ['{"a":', {}, 'malformed_json'],
  ['[1]x', {}, 'malformed_json'],
  [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, {}, 'too_deep'],
])('the body %j is answered 400, and nothing is written', async (body, headers, code) => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/contacts', body, headers)).json).toMatchObject({ status: 400, code })
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
})

test('malformed JSON is answered with its position', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', '{"name":Ada}')
  expect(json.detail).toBe('the body is not valid JSON at character 8: expected a value')
})

test.each([
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
  'nonsense',
  'application/json; charset=latin1',
])('a body of type %j is answered 415', async (type) => {
  const { send } = await serveForTest()
  const body = new TextEncoder().encode('{"name":"Ada"}')
  const answer = await send('POST', '/v1/contacts', body, { 'content-type': type })
  expect(answer.json).toMatchObject({ status: 415, code: 'unsupported_media_type' })
})

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
])('a body of type %j is accepted', async (type) => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/contacts', '{"a":1}', { 'content-type': type })).status).toBe(201)
})

test('a compressed body is answered 415', async () => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/contacts', '{"a":1}', { 'content-encoding': 'gzip' })).status).toBe(415)
})

test('a body of more than 1 MiB is answered 413, with or without Content-Length', async () => {
  const { send, url, key } = await serveForTest()
  const large = JSON.stringify({ a: 'x'.repeat(1024 * 1024) })
  expect((await send('POST', '/v1/contacts', large)).json).toMatchObject({ status: 413, code: 'body_too_large' })
  const response = await fetch(`${url}/v1/contacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.text}`, 'content-type': 'application/json' },
    body: new Blob([large]).stream(),
    duplex: 'half',
  })
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ code: 'body_too_large' })
})

test('parameters are rejected where there are none', async () => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/contacts?dry_run=1', { name: 'a' })).json).toMatchObject({
    status: 400,
    errors: [{ parameter: 'dry_run', code: 'unknown_parameter' }],
  })
})

test('a failing database is 503 and a bug 500; only the log has the reason', async () => {
  const failure = new CrmError('machine', 'disk full: /secret/path', { hint: 'free some space' })
  const lines: unknown[] = []
  const store = await storeWith({
    joinedPage: () => Promise.reject(failure),
    page: () => Promise.reject(new Error('secret bug')),
  })
  const { send } = await serveForTest({ store, log: (line) => lines.push(line) })
  const unavailable = await send('GET', '/v1/contacts')
  expect(unavailable.json).toMatchObject({ status: 503, code: 'unavailable' })
  expect(unavailable.headers.get('retry-after')).toBe('5')
  const internal = await send('GET', '/v1/deals')
  expect(internal.json).toMatchObject({ status: 500, code: 'internal' })
  expect(unavailable.text + internal.text).not.toContain('secret')
  expect(JSON.stringify(lines)).toContain('disk full')
  expect(lines).toContainEqual({
    level: 'error',
    event: 'failure',
    request_id: internal.json.request_id,
    error: expect.stringContaining('secret bug'),
  })
})

test('the log has a line for each request, with the id of its key, without its query', async () => {
  const lines: unknown[] = []
  const { send, key } = await serveForTest({ log: (line) => lines.push(line) })
  const common = { level: 'info', event: 'request', ms: expect.any(Number), bytes: expect.any(Number) }
  await send('GET', '/v1/contacts?key=secret', undefined, { 'x-request-id': 'r1' })
  const list = { request_id: 'r1', method: 'GET', route: '/v1/contacts', path: '/v1/contacts' }
  await expect.poll(() => lines).toContainEqual({ ...common, ...list, status: 400 })
  await send('DELETE', '/v1/contacts/con_1', undefined, { 'x-request-id': 'r2' })
  const removal = { request_id: 'r2', method: 'DELETE', route: '/v1/contacts/:id', path: '/v1/contacts/con_1' }
  await expect.poll(() => lines).toContainEqual({ ...common, ...removal, status: 404, key_id: key.key.id })
  expect(JSON.stringify(lines)).not.toContain(key.text)
})
