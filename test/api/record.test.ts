import { expect, test } from 'vitest'
import type { WriteOptions } from '../../src/api/api.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'

async function created(json: unknown, options: WriteOptions = NO_KEY) {
  const { url } = await startServer((response) => sendJson(response, 201, json))
  return openClient(url).api.contacts.create({ name: 'Ada' }, options)
}

test('a record is taken out of its wrapper', async () => {
  await expect(created({ data: { id: 'con_1' }, success: true })).resolves.toEqual({ id: 'con_1' })
})

test('a record that has a member named data is no wrapper', async () => {
  const record = { id: 'con_1', data: { a: 1 } }
  await expect(created(record)).resolves.toEqual(record)
})

test.each([
  [[], 'a list'],
  [null, 'null'],
  ['x', '"x"'],
  [{}, '{}'],
  [{ ok: true, request_id: 'r' }, '{"ok":true,"request_id":"r"}'],
  [{ error: { code: 'nope', id: 1 } }, '{"error":{"code":"nope","id":1}}'],
  [{ data: { errors: ['nope'] } }, '{"data":{"errors":["nope"]}}'],
])('%j is no record', async (json, shown) => {
  const error = await failureOf(created(json))
  expect(error.code).toBe('bad_answer')
  expect(error.details.hint).toContain(`crm contacts create ... --idempotency-key ${error.details.idempotencyKey}`)
  expect(error.message).toBe(
    `cannot show the record: the server took "create the contact" as done (201), but answered with ${shown}`,
  )
})

test.each([
  { contact_id: 7 },
  { Id: '003', success: true },
  { contact: { id: 7 } },
  { name: 'Ada' },
  { id: 1, error: null },
])('%j is a record, as other servers show one', async (record) => {
  await expect(created(record)).resolves.toEqual(record)
})

test.each([{ contact_id: 7 }, { id: 'a\nb' }])(
  'where the id is needed, %j is told as done, under the key that makes a repeat harmless',
  async (record) => {
    const error = await failureOf(created(record, { ...NO_KEY, isIdNeeded: true }))
    expect(error.code).toBe('bad_answer')
    expect(error.message).toContain('cannot show its id: the server took "create the contact" as done (201)')
    expect(error.details.hint).toContain(`--idempotency-key ${error.details.idempotencyKey} -o json, `)
  },
)

test.each([200, 201, 204])(
  'an empty %i to a create is told as done, under the key that makes a repeat harmless',
  async (status) => {
    const { url, seen } = await startServer((response) => response.writeHead(status).end())
    const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
    expect(error.message).toContain(`took "create the contact" as done (${status}), but answered with nothing`)
    expect(error.details.idempotencyKey).toBe(seen[0]?.headers['idempotency-key'])
    expect(seen).toHaveLength(1)
  },
)
