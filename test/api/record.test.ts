import { expect, test } from 'vitest'
import type { WriteCallOptions } from '../../src/api/operations.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient, WIRE } from './client-fixture.ts'

async function created(json: unknown, options: WriteCallOptions = NO_KEY) {
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
  [[], '[]'],
  [null, 'null'],
  ['x', '"x"'],
  [{}, '{}'],
  [{ ok: true, request_id: 'r' }, '{"ok":true,"request_id":"r"}'],
])('%j is in doubt: neither a record nor a refusal', async (json, shown) => {
  const error = await failureOf(created(json))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.details.hint).toContain(`crm contacts create ... --idempotency-key ${error.details.idempotencyKey}`)
  expect(error.message).toContain(
    `cannot create the contact: the answer (201) shows neither a record nor a refusal: ${shown}; it is unknown whether the server applied it`,
  )
})

test.each([
  [{ error: { code: 'nope', id: 1 } }, 'nope (201)'],
  [{ success: false, message: 'email is taken' }, 'email is taken (201)'],
])('%j is a refusal, with its text', async (json, shown) => {
  const error = await failureOf(created(json))
  expect(error).toMatchObject({ code: 'rejected', exit: 7 })
  expect(error.message).toBe(`cannot create the contact: ${shown}`)
})

test.each([
  { contact_id: 7 },
  { Id: '003', success: true },
  { name: 'Ada' },
  { id: 1, error: null },
  { id: 1, name: 'Ada', status: 'error', success: false },
])('%j is a record, as other servers show one', async (record) => {
  await expect(created(record)).resolves.toEqual(record)
})

test.each([{ contact_id: 7 }, { id: 'a\nb' }])(
  'where the id is needed, %j is reported as done, under the key that makes a repeat harmless',
  async (record) => {
    const error = await failureOf(created(record, { ...NO_KEY, isIdNeeded: true }))
    expect(error.code).toBe('bad_answer')
    expect(error.message).toContain('cannot show the id: the server confirmed "create the contact" (201) without one')
    expect(error.details.hint).toContain(`--idempotency-key ${error.details.idempotencyKey} -o json, `)
  },
)

test('a record below its own name, or in a list of one, is taken out', async () => {
  await expect(created({ contact: { id: 7 } })).resolves.toEqual({ id: 7 })
  await expect(created([{ id: 7 }])).resolves.toEqual({ id: 7 })
})

test.each([200, 201, 204])('an empty %i to a create is in doubt', async (status) => {
  const { url, seen } = await startServer((response) => response.writeHead(status).end())
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toContain(`the answer (${status}) shows neither a record nor a refusal: it is empty`)
  expect(error.code).toBe('in_doubt')
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('the error of such an answer to a note does not call a repetition safe if it is unknown whether keys are kept', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { ok: true }))
  const error = await failureOf(
    openClient(url, { wire: { ...WIRE, idempotency: 'none' } })
      .api.notes('deal_1')
      .create({ body: 'x' }, NO_KEY),
  )
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.details.hint).toContain('check before sending it again')
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('201 with a Location and no body shows the id', async () => {
  const { url } = await startServer((response) => response.writeHead(201, { location: '/v1/contacts/con_9' }).end())
  await expect(openClient(url).api.contacts.create({}, NO_KEY)).resolves.toEqual({ id: 'con_9' })
})

test('204 to an update is done, and to a delete', async () => {
  const { url } = await startServer((response) => response.writeHead(204).end())
  const { contacts } = openClient(url).api
  await expect(contacts.update('con_1', { name: 'Ada' }, { ...NO_KEY, ifMatch: undefined })).resolves.toEqual({
    id: 'con_1',
  })
  await expect(contacts.delete('con_1', { ifMatch: undefined })).resolves.toBeUndefined()
})

test('a delete that is refused within a 200 is no deletion', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { success: false, error: 'it is locked' }))
  const error = await failureOf(openClient(url).api.contacts.delete('con_1', { ifMatch: undefined }))
  expect(error).toMatchObject({ code: 'rejected', message: 'cannot delete contact con_1: it is locked (200)' })
})
