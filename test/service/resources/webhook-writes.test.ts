import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { deliverForTest } from '../delivery/deliver-for-test.ts'
import { type Received, startReceiver } from '../delivery/receiver.ts'
import { serveForTest } from '../serve-for-test.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function subscribed(allowsPrivateTargets = true) {
  const service = await serveForTest({ allowsPrivateTargets })
  const body = { url: 'https://a.example/hook', events: ['contact.*'], description: 'x' }
  const { json } = await service.send('POST', '/v1/webhooks', body)
  return { ...service, webhook: json, path: `/v1/webhooks/${json.id}` }
}

test('a patch changes address, events and description, keeps the secret, and shows none', async () => {
  const { send, path, webhook } = await subscribed()
  const patch = { url: 'https://b.example/', events: ['deal.*', 'note.deleted'], description: null }
  const changed = await send('PATCH', path, patch, { 'if-match': '"1"' })
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
  const { secret: _, description: __, ...shown } = webhook
  expect(changed.json).toEqual({
    ...shown,
    ...patch,
    description: undefined,
    updated_at: expect.any(String),
    version: 2,
  })
  expect((await send('GET', path)).text).toBe(changed.text)
  expect((await send('PATCH', path, { events: ['*'] }, { 'if-match': '"1"' })).status).toBe(412)
  expect((await send('PATCH', path, changed.json)).text).toBe(changed.text)
})

test.each([
  [{ url: null }, '#/url', 'wrong_type'],
  [{ url: 'ftp://b.example' }, '#/url', 'invalid_url'],
  [{ url: 'http://10.0.0.1/' }, '#/url', 'not_deliverable'],
  [{ events: [] }, '#/events', 'empty'],
  [{ events: ['contact.made'] }, '#/events', 'not_allowed'],
  [{ status: 'paused' }, '#/status', 'not_allowed'],
  [{ status: null }, '#/status', 'wrong_type'],
  [{ secret: 'whsec_mine' }, '#/secret', 'read_only'],
  [{ disabled_reason: 'mine' }, '#/disabled_reason', 'read_only'],
  [{ version: 5 }, '#/version', 'read_only'],
])('the patch %j of a subscription is rejected at %s: %s', async (patch, pointer, code) => {
  const { send, path } = await subscribed(false)
  expect((await send('PATCH', path, patch)).json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
  expect((await send('GET', path)).json).toMatchObject({ url: 'https://a.example/hook', version: 1 })
})

test('a repeated PATCH of a subscription with the same key has no second effect', async () => {
  const { send, path } = await subscribed()
  const once = () => send('PATCH', path, { events: ['*'] }, { 'idempotency-key': 'k', 'if-match': '"1"' })
  const [first, again] = [await once(), await once()]
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
})

test('events go to the changed address, signed with the same secret, and only those of the changed kinds', async () => {
  const [before, after] = [await startReceiver(), await startReceiver()]
  const service = await deliverForTest()
  const { id, secret } = await service.subscribe(before.url)
  await service.send('PATCH', `/v1/webhooks/${id}`, { url: after.url, events: ['deal.*'] })
  await service.make('Ada')
  await service.send('POST', '/v1/deals', { name: 'a', stage: 'Lead' })
  const [received] = (await after.arrived(1)) as [Received]
  expect(typeOf(received, secret)).toBe('deal.created')
  expect([before.received.length, after.received.length]).toEqual([0, 1])
})

/** The type of a received event, after its signature is verified. */
function typeOf({ body, headers }: Received, secret: string): unknown {
  const named = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])])
  const event = new StandardWebhook(secret).verify(body.toString(), Object.fromEntries(named))
  return (event as { type: unknown }).type
}

test('a disabled subscription receives nothing; enabled again, it has no reason and a clean record', async () => {
  let nowMs = Date.UTC(2026, 10, 20, 12)
  let status = 500
  const receiver = await startReceiver(() => status)
  const service = await deliverForTest({ now: () => nowMs, retryDelaysMs: [0] })
  const { id } = await service.subscribe(receiver.url)
  const state = async () =>
    (await service.store.deliveries.log(id, { limit: 1, olderThanId: undefined })).entries[0]?.state
  const fail = async () => {
    await service.make('x')
    await expect.poll(state).toBe('failed')
  }
  await fail()
  nowMs += 5 * DAY_MS
  await fail()
  await expect.poll(async () => (await service.statusOf(id)).status).toBe('disabled')
  const path = `/v1/webhooks/${id}`
  const disabled = await service.send('GET', path)
  expect(disabled.json).toMatchObject({ status: 'disabled', disabled_reason: 'no attempt has succeeded for 5 days' })
  const enabled = await service.send('PATCH', path, { ...disabled.json, status: 'enabled' })
  expect(enabled.json).toMatchObject({ status: 'enabled', version: 3 })
  expect(enabled.json).not.toHaveProperty('disabled_reason')
  // One more failure would disable it again if the five days still counted.
  await fail()
  expect((await service.statusOf(id)).status).toBe('enabled')
  status = 200
  expect((await service.send('PATCH', path, { status: 'disabled' })).status).toBe(200)
  const { length } = receiver.received
  await service.make('y')
  await service.send('PATCH', path, { status: 'enabled' })
  await service.make('z')
  await receiver.arrived(length + 1)
  expect(JSON.parse(`${receiver.received.at(-1)?.body}`).data.name).toBe('z')
})

test('a deleted subscription is gone with its deliveries, and receives nothing more', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const service = await deliverForTest()
  const { id } = await service.subscribe(receiver.url)
  await service.subscribe(other.url)
  const path = `/v1/webhooks/${id}`
  expect((await service.send('DELETE', path, undefined, { 'if-match': '"2"' })).status).toBe(412)
  expect((await service.send('DELETE', path)).status).toBe(204)
  expect((await service.send('DELETE', path)).status).toBe(404)
  await service.make('Ada')
  await other.arrived(1)
  expect(receiver.received).toEqual([])
})

test('a test sends one signed webhook.test event to that subscription alone, whatever it subscribes to', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const service = await deliverForTest()
  const { id, secret } = await service.subscribe(receiver.url, ['deal.created'])
  const all = await service.subscribe(other.url, ['*'])
  const sent = await service.send('POST', `/v1/webhooks/${id}/test`, undefined, { 'idempotency-key': 'k' })
  expect([sent.status, sent.json]).toEqual([
    202,
    { event_id: expect.stringMatching(/^evt_/), type: 'webhook.test', webhook_id: id },
  ])
  const log = (webhookId: string) => service.store.deliveries.log(webhookId, { limit: 9, olderThanId: undefined })
  expect((await log(id)).entries.map(({ kind, eventId }) => [kind, eventId])).toEqual([
    ['webhook.test', sent.json.event_id],
  ])
  const again = await service.send('POST', `/v1/webhooks/${id}/test`, undefined, { 'idempotency-key': 'k' })
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([sent.text, 'true'])
  const [received] = (await receiver.arrived(1)) as [Received]
  expect(received.headers['webhook-id']).toBe(sent.json.event_id)
  expect(typeOf(received, secret)).toBe('webhook.test')
  const { json: record } = await service.send('GET', `/v1/webhooks/${id}`)
  expect(JSON.parse(received.body.toString())).toEqual({
    type: 'webhook.test',
    timestamp: expect.any(String),
    data: record,
  })
  await service.make('Ada')
  await other.arrived(1)
  expect((await log(all.id)).entries.map(({ kind }) => kind)).toEqual(['contact.created'])
})

test('a test does not wait behind an earlier one that fails', async () => {
  const receiver = await startReceiver((_request, index) => (index === 0 ? 500 : 200))
  const service = await deliverForTest({ retryDelaysMs: [0, DAY_MS] })
  const { id } = await service.subscribe(receiver.url)
  const ids: unknown[] = []
  for (const count of [1, 2]) {
    ids.push((await service.send('POST', `/v1/webhooks/${id}/test`, {})).json.event_id)
    await receiver.arrived(count)
  }
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
})

test('a test of a disabled subscription, and one with members in its body, are refused', async () => {
  const { send, path } = await subscribed()
  const extra = await send('POST', `${path}/test`, { event: 'contact.created' })
  expect(extra.json).toMatchObject({ status: 422, errors: [{ pointer: '#/event', code: 'not_allowed' }] })
  await send('PATCH', path, { status: 'disabled' })
  expect((await send('POST', `${path}/test`)).json).toMatchObject({ status: 409, code: 'webhook_disabled' })
})

test('updateWebhook and testWebhook of GraphQL do what REST does', async () => {
  const { send, path, webhook, store } = await subscribed()
  const query = `mutation ($id: ID!) {
    updateWebhook(input: {id: $id, ifVersion: 1, events: ["*"], status: "enabled"}) { webhook { events version json } }
    testWebhook(input: {id: $id}) { webhookId eventId }
  }`
  const { json } = await send('POST', '/v1/graphql', { query, variables: { id: webhook.id } })
  const { json: shown } = await send('GET', path)
  const eventId = expect.stringMatching(/^evt_/)
  expect(json.data).toEqual({
    updateWebhook: { webhook: { events: ['*'], version: 2, json: shown } },
    testWebhook: { webhookId: webhook.id, eventId },
  })
  const log = await store.deliveries.log(`${webhook.id}`, { limit: 9, olderThanId: undefined })
  expect(log.entries).toMatchObject([{ kind: 'webhook.test', eventId }])
})
