import { expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'

const CODES: readonly (readonly [status: number, code: ErrorCode, hint: RegExp])[] = [
  [302, 'in_doubt', /^crm contacts get con_1$/],
  [307, 'rejected', /crm doctor/],
  [400, 'bad_request', /crm contacts update --help/],
  [401, 'unauthorized', /^crm auth login --base-url http:\/\/127\.0\.0\.1:\d+$/],
  [403, 'forbidden', /crm auth status/],
  [404, 'not_found', /crm contacts list/],
  [405, 'rejected', /crm contacts update --help/],
  [408, 'timeout', /--max-wait/],
  [409, 'conflict', /crm contacts update --help/],
  [412, 'precondition_failed', /^crm contacts get con_1$/],
  [413, 'rejected', /crm contacts update --help/],
  [418, 'rejected', /crm contacts update --help/],
  [422, 'invalid_values', /crm contacts update --help/],
  [429, 'rate_limited', /--max-wait/],
]

test.each(CODES)('%i is %s, with a hint that goes on from there', async (status, code, hint) => {
  const { url } = await startServer((response) => sendJson(response, status, { detail: 'no' }))
  const { api } = openClient(url, { maxWaitMs: 0 })
  const error = await failureOf(api.contacts.update('con_1', {}, { ...NO_KEY, ifMatch: undefined }))
  expect(error.code).toBe(code)
  expect(error.details.status).toBe(status)
  if (error.details.idempotencyKey === undefined) expect(error.details.hint).toMatch(hint)
})

test.each([500, 501, 502, 503, 504, 507, 599])('%i is a server error', async (status) => {
  const { url } = await startServer((response) => sendJson(response, status, { detail: 'no' }))
  const error = await failureOf(openClient(url, { maxWaitMs: 0 }).api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('server_error')
})

test.each(['X-Request-Id', 'Request-Id', 'X-Correlation-Id', 'X-HubSpot-Correlation-Id', 'CF-Ray'])(
  'the request id is read from %s',
  async (header) => {
    const { url } = await startServer((response) => sendJson(response, 400, {}, { [header]: 'req_1' }))
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.details.requestId).toBe('req_1')
  },
)

test('the request id is read from the body when no header has it', async () => {
  const { url } = await startServer((response) => sendJson(response, 400, { detail: 'no', request_id: 'req_1' }))
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.details.requestId).toBe('req_1')
})

test('the id that the server gives goes before the one of a proxy in front of it', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 400, { requestId: 'req_1' }, { 'cf-ray': 'ray_1' }),
  )
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.details.requestId).toBe('req_1')
})

test('an address without the endpoint points to the address and not to a list', async () => {
  const { url } = await startServer((response) => response.writeHead(404).end())
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toBe(`cannot create the contact: ${url.origin} answered 404`)
  expect(error.details.hint).toContain('crm doctor')
})

test('a message is one line, whatever the id and the server hold', async () => {
  const { url } = await startServer((response) => sendJson(response, 404, { detail: `gone\r\n${'x'.repeat(9999)}` }))
  const { api } = openClient(url)
  const error = await failureOf(api.contacts.delete(`a\nb${'c'.repeat(9999)}`, { ifMatch: undefined }))
  expect(error.message).not.toMatch(/[\r\n]/)
  expect(error.message.length).toBeLessThan(800)
})

test('a redirect without a location is reported as such', async () => {
  const { url } = await startServer((response) => response.writeHead(302).end())
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toContain('redirects to nowhere (302)')
})

test('a redirect on the same origin names the path', async () => {
  const { url } = await startServer((response) => response.writeHead(301, { location: '/api/v1/contacts?x=1' }).end())
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toContain('redirects to /api/v1/contacts (301)')
})

test.each([
  ['the record is at version 2 now', 'the record is not at version 9: the record is at version 2 now (412)'],
  ['the record is at version 2, expected 9', 'the record is at version 2, expected 9 (412)'],
])('the expected version is named once if the server says %j', async (detail, reason) => {
  const { url } = await startServer((response) => sendJson(response, 412, { detail }))
  const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: '9' }))
  expect(error.message).toBe(`cannot delete contact con_1: ${reason}`)
})

test.each(['{}', '[]', ' { } '])('an error whose body is %j gives no reason', async (body) => {
  const { url } = await startServer((response) => response.writeHead(503).end(body))
  const error = await failureOf(openClient(url, { maxWaitMs: 0 }).api.contacts.delete('con_1', { ifMatch: undefined }))
  expect(error.message).toContain('no reason given (503)')
})
