import { expect, test } from 'vitest'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'

async function created(json: unknown) {
  const { url } = await startServer((response) => sendJson(response, 201, json))
  return openClient(url).api.contacts.create({}, NO_KEY)
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
])('%j is no record', async (json, shown) => {
  const error = await failureOf(created(json))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toBe(`cannot create the contact: expected the record as answer, got ${shown}`)
})
