import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient } from './client-fixture.ts'

test('a missing content type does not matter, nor does a byte order mark', async () => {
  const { url } = await startServer((response) => response.writeHead(201).end('\ufeff{"id":"con_1"}'))
  await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_1' })
})

const UNREADABLE: readonly (readonly [what: string, body: string | Buffer, headers: object, reason: string])[] = [
  ['an HTML page', '<!doctype html><title>Sign in</title>', {}, 'an HTML page came instead of JSON: <!doctype html>'],
  ['truncated JSON', '{"id":"con_', {}, 'the answer is not JSON: {"id":"con_'],
  ['text', 'OK', {}, 'the answer is not JSON: OK'],
  ['bytes that are not UTF-8', Buffer.from('{"id":"\xe9"}', 'latin1'), {}, 'the answer is not UTF-8'],
  ['a compressed answer', Buffer.from('1f8b08', 'hex'), { 'content-encoding': 'gzip' }, 'compressed (gzip)'],
]

test.each(UNREADABLE)('%s is a bad answer, and what the write did is unknown', async (_what, body, headers, reason) => {
  const { url, seen } = await startServer((response) => response.writeHead(200, { ...headers }).end(body))
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toContain(reason)
  expect(error.message).toContain('whether it took effect is unknown')
  expect(error.details.idempotencyKey).toBe(seen[0]?.headers['idempotency-key'])
  expect(seen).toHaveLength(1)
})

test.each([200, 204])('an empty %i where a list is needed is a bad answer', async (status) => {
  const { url } = await startServer((response) => response.writeHead(status).end())
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.message).toBe('cannot list contacts: expected a list, got nothing')
})

test.each([
  [204, ''],
  [200, ''],
  [200, 'deleted'],
  [202, '{"id":"con_1"}'],
])('a delete takes %i with %j as done', async (status, body) => {
  const { url } = await startServer((response) => response.writeHead(status).end(body))
  await expect(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined })).resolves.toBeUndefined()
})

test('a delete does not take a page for people as done', async () => {
  const { url } = await startServer((response) => response.writeHead(200).end('<html>Sign in</html>'))
  const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined }))
  expect(error.code).toBe('bad_answer')
})

test('numbers, nesting and odd keys come through as JSON has them', async () => {
  const record = JSON.parse('{"id":"con_1","a":[1.5,{"b":null}],"__proto__":{"x":1},"ключ":"ü"}')
  const { url } = await startServer((response) => sendJson(response, 201, record))
  const created = await openClient(url).api.contacts.create({}, NO_KEY)
  expect(JSON.stringify(created)).toBe(JSON.stringify(record))
})
