import { expect, test } from 'vitest'
import { serveForTest } from './serve-for-test.ts'
import { ofContacts } from './store/samples.ts'

async function serveUnique() {
  const service = await serveForTest()
  await service.store.putUniqueMembers(ofContacts('email'))
  const { json } = await service.send('POST', '/v1/contacts', { name: 'Ada', email: 'ada@x.test' })
  const other = await service.send('POST', '/v1/contacts', { name: 'Bob', email: 'bob@x.test' })
  return { ...service, adaId: String(json.id), bobId: String(other.json.id) }
}

test('a POST and a PATCH to an email that another contact has are 409 already_exists with the id of that contact', async () => {
  const { send, adaId, bobId } = await serveUnique()
  const detail = `${adaId} already has this email, which is unique`
  const expected = {
    code: 'already_exists',
    existing_id: adaId,
    detail: `email: ${detail}`,
    errors: [{ pointer: '#/email', code: 'already_exists', detail }],
  }
  const made = await send('POST', '/v1/contacts', { email: ' ADA@x.test' })
  expect([made.status, made.json]).toEqual([409, expect.objectContaining(expected)])
  const changed = await send('PATCH', `/v1/contacts/${bobId}`, { email: 'ada@x.test' })
  expect([changed.status, changed.json]).toEqual([409, expect.objectContaining(expected)])
  expect((await send('PATCH', `/v1/contacts/${adaId}`, { email: 'Ada@x.test' })).status).toBe(200)
})

test('a 409 is not stored under its key: the same request succeeds once the email is free, and is then replayed', async () => {
  const { send, adaId } = await serveUnique()
  const headers = { 'idempotency-key': 'one' }
  expect((await send('POST', '/v1/contacts', { email: 'ada@x.test' }, headers)).status).toBe(409)
  await send('DELETE', `/v1/contacts/${adaId}`)
  const made = await send('POST', '/v1/contacts', { email: 'ada@x.test' }, headers)
  const again = await send('POST', '/v1/contacts', { email: 'ada@x.test' }, headers)
  expect([made.status, again.status, again.text]).toEqual([201, 201, made.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('GraphQL rejects it too, with existing_id and the code', async () => {
  const { send, adaId, bobId } = await serveUnique()
  const extensions = expect.objectContaining({ code: 'already_exists', status: 409, existing_id: adaId })
  for (const field of [
    'createContact(input: {email: "ada@x.test"}) { contact { id } }',
    `updateContact(input: {id: "${bobId}", email: "ada@x.test"}) { contact { id } }`,
  ]) {
    const { json } = await send('POST', '/v1/graphql', { query: `mutation { ${field} }` })
    expect(json.errors).toEqual([expect.objectContaining({ extensions })])
  }
})
