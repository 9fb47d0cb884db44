import { expect, onTestFinished, test } from 'vitest'
import { isFailure } from '../../../src/api/errors/failure.ts'
import { createSender, type Sender } from '../../../src/api/writes/sender.ts'
import { changedId, createUpsertSender } from '../../../src/jobs/send/sender-adapters.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { CRM, SERVER_TERMS } from '../../api/client-fixture.ts'
import { serveForTest } from '../../service/serve-for-test.ts'
import { ofContacts } from '../../service/store/samples.ts'

function senderTo(url: URL, key = 'crm_key_of_the_test'): Sender {
  const options = {
    baseUrl: url,
    key,
    terms: SERVER_TERMS,
    connector: CRM(url, SERVER_TERMS),
    timeoutMs: 5000,
    userAgent: 'crm/0.0.0',
  }
  const sender = createSender({ ...options, now: Date.now, debug: undefined, env: {}, connections: 1 })
  onTestFinished(() => sender.close())
  return sender
}

function create(body: object, idempotencyKey = 'key') {
  const place = { kind: 'create', resource: 'contact', ifMatch: undefined, action: 'create' } as const
  return { ...place, body: Buffer.from(JSON.stringify(body)), idempotencyKey }
}

async function serveUnique(...members: string[]) {
  const service = await serveForTest()
  await service.store.putUniqueMembers(ofContacts(...members))
  const { json } = await service.send('POST', '/v1/contacts', { email: 'ada@x.test', phone: '1', name: 'Ada' })
  const contacts = async () => (await service.send('GET', '/v1/contacts')).json.data as Record<string, unknown>[]
  return { ...service, id: String(json.id), contacts, sender: senderTo(new URL(service.url), service.key.text) }
}

test('a create of an email that a contact has changes that contact, as often as it is sent', async () => {
  const { sender, id, contacts } = await serveUnique('email')
  for (let time = 0; time < 2; time++) {
    const outcome = await createUpsertSender(sender, { resource: 'contact', member: 'email' }).send(
      create({ email: 'ADA@x.test', company: 'Engines' }),
    )
    expect(isFailure(outcome) ? outcome.reason : changedId(outcome)).toBe(id)
  }
  expect(await contacts()).toMatchObject([{ id, name: 'Ada', company: 'Engines', version: 2 }])
})

test('a contact that has another unique value of the row is a different one, and the row is refused', async () => {
  const { sender, contacts } = await serveUnique('phone')
  const outcome = await createUpsertSender(sender, { resource: 'contact', member: 'email' }).send(
    create({ email: 'bob@x.test', phone: '1' }),
  )
  expect(outcome).toMatchObject({ status: 409, serverCode: 'already_exists' })
  expect(await contacts()).toMatchObject([{ email: 'ada@x.test', version: 1 }])
})

test('a change that conflicts with a third contact is refused like any change', async () => {
  const { sender, send } = await serveUnique('email', 'phone')
  await send('POST', '/v1/contacts', { email: 'bob@x.test', phone: '2' })
  const outcome = await createUpsertSender(sender, { resource: 'contact', member: 'email' }).send(
    create({ email: 'ada@x.test', phone: '2' }),
  )
  expect(outcome).toMatchObject({ status: 409, field: 'phone', isInDoubt: false })
})

test('a contact that was deleted before its change is created', async () => {
  let creates = 0
  const { url, seen } = await startServer((response, { method }) => {
    if (method === 'PATCH') return sendJson(response, 404, { code: 'not_found' })
    creates += 1
    if (creates === 1) return sendJson(response, 409, { code: 'already_exists', existing_id: 'con_1' })
    sendJson(response, 201, { id: 'con_2' })
  })
  const outcome = await createUpsertSender(senderTo(url), { resource: 'contact', member: 'email' }).send(
    create({ email: 'a' }),
  )
  expect(outcome).toMatchObject({ status: 201, json: { id: 'con_2' } })
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  expect([keys[0], keys[2]]).toEqual(['key', 'key'])
  expect(keys[1]).not.toBe('key')
})

test('the id is found in the words of HubSpot, for the email alone', async () => {
  const { url, seen } = await startServer((response, { method }) => {
    if (method === 'PATCH') return sendJson(response, 200, { id: '123' })
    sendJson(response, 409, { message: 'Contact already exists. Existing ID: 123', category: 'CONFLICT' })
  })
  const outcome = await createUpsertSender(senderTo(url), { resource: 'contact', member: 'email' }).send(
    create({ email: 'a' }),
  )
  expect(isFailure(outcome)).toBe(false)
  expect(seen.at(-1)).toMatchObject({ method: 'PATCH', path: '/v1/contacts/123' })
  expect(
    await createUpsertSender(senderTo(url), { resource: 'contact', member: 'phone' }).send(create({ phone: '1' })),
  ).toMatchObject({ status: 409 })
})

test('a conflict that names no record is a conflict, and a change whose answer is lost may be repeated', async () => {
  const { url } = await startServer((response) => sendJson(response, 409, { code: 'conflict' }))
  expect(
    await createUpsertSender(senderTo(url), { resource: 'contact', member: 'email' }).send(create({ email: 'a' })),
  ).toMatchObject({ status: 409 })
  const failing = await startServer((response, { method }) => {
    if (method === 'PATCH') return sendJson(response, 500, {})
    sendJson(response, 409, { code: 'already_exists', existing_id: 'con_1' })
  })
  const outcome = await createUpsertSender(senderTo(failing.url), { resource: 'contact', member: 'email' }).send(
    create({ email: 'a' }),
  )
  expect(outcome).toMatchObject({ status: 500, isInDoubt: false })
})
