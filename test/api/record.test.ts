import { expect, test } from 'vitest'
import type { WriteCallOptions } from '../../src/api/operations.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient, SERVER_TERMS } from './client-fixture.ts'

async function created(json: unknown, options: WriteCallOptions = NO_KEY) {
  const { url } = await startServer((response) => sendJson(response, 201, json))
  return openClient(url).api.contacts.create({ name: 'Ada' }, options)
}

test('an answer without a record is in doubt, and shown', async () => {
  const error = await failureOf(created({ ok: true, request_id: 'r' }))
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.details.hint).toContain(`crm contacts create ... --idempotency-key ${error.details.idempotencyKey}`)
  expect(error.message).toContain(
    'cannot create the contact: the answer (201) has no id at id: {"ok":true,"request_id":"r"}; it is unknown whether the server applied it',
  )
})

test.each([
  [{ errors: [{ message: 'email is taken' }] }, 'email is taken (201)'],
  [{ success: false, message: 'email is taken' }, 'email is taken (201)'],
])('%j is a refusal, with its text', async (json, shown) => {
  const error = await failureOf(created(json))
  expect(error).toMatchObject({ code: 'rejected', exit: 7 })
  expect(error.message).toBe(`cannot create the contact: ${shown}`)
})

test.each([
  { id: 'con_1', data: { a: 1 } },
  { id: 1, name: 'Ada', error: null, errors: [] },
])('%j is a record', async (record) => {
  await expect(created(record)).resolves.toEqual(record)
})

test('where the id is needed, one that is no line is reported as done, under the key that makes a repeat harmless', async () => {
  const error = await failureOf(created({ id: 'a\nb' }, { ...NO_KEY, isIdNeeded: true }))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toContain('cannot show the id: the server confirmed "create the contact" (201) without one')
  expect(error.details.hint).toContain(`--idempotency-key ${error.details.idempotencyKey} -o json, `)
})

test.each([200, 201, 204])('an empty %i to a create is in doubt', async (status) => {
  const { url, seen } = await startServer((response) => response.writeHead(status).end())
  const error = await failureOf(openClient(url).api.contacts.create({}, NO_KEY))
  expect(error.message).toContain(`the answer (${status}) has no record: it is empty`)
  expect(error.code).toBe('in_doubt')
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('the error of such an answer to a note does not call a repetition safe if it is unknown whether keys are kept', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { ok: true }))
  const error = await failureOf(
    openClient(url, { terms: { ...SERVER_TERMS, idempotency: 'none' } })
      .api.notes('deal_1')
      .create({ body: 'x' }, NO_KEY),
  )
  expect(error).toMatchObject({ code: 'in_doubt', exit: 3 })
  expect(error.details.hint).toContain('check before sending it again')
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
})
