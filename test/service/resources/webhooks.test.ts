import { expect, test } from 'vitest'
import { eventKinds } from '../../../src/core/webhook-events.ts'
import { serveForTest } from '../serve-for-test.ts'

test('a new subscription is returned with its secret', async () => {
  const { send } = await serveForTest()
  const made = await send('POST', '/v1/webhooks', {
    url: 'https://example.com/hook',
    events: ['contact.*', '*'],
    description: 'x',
  })
  expect(made.status).toBe(201)
  expect(made.json).toEqual({
    id: expect.stringMatching(/^wh_/),
    url: 'https://example.com/hook',
    events: ['contact.*', '*'],
    description: 'x',
    status: 'enabled',
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    created_at: expect.any(String),
    updated_at: made.json.created_at,
    version: 1,
  })
  expect(made.headers.get('location')).toBe(`/v1/webhooks/${made.json.id}`)
})

test('a replay shows the same secret, a new subscription another one', async () => {
  const { send } = await serveForTest()
  const subscribe = (key: string) =>
    send('POST', '/v1/webhooks', { url: 'https://example.com', events: ['*'] }, { 'idempotency-key': key })
  const [first, replay, other] = [await subscribe('a'), await subscribe('a'), await subscribe('b')]
  expect(replay.text).toBe(first.text)
  expect(other.json.secret).not.toBe(first.json.secret)
})

test.each([
  [{ events: ['*'] }, '#/url', 'required'],
  [{ url: 'nowhere', events: ['*'] }, '#/url', 'invalid_url'],
  [{ url: 'ftp://example.com', events: ['*'] }, '#/url', 'invalid_url'],
  [{ url: 'https://a:b@example.com', events: ['*'] }, '#/url', 'invalid_url'],
  [{ url: 'https://example.com' }, '#/events', 'required'],
  [{ url: 'https://example.com', events: 'contact.*' }, '#/events', 'wrong_type'],
  [{ url: 'https://example.com', events: [1] }, '#/events', 'wrong_type'],
  [{ url: 'https://example.com', events: [] }, '#/events', 'empty'],
  [{ url: 'https://example.com', events: ['*', 'contact.made'] }, '#/events', 'not_allowed'],
  [{ url: 'https://example.com', events: ['*'], secret: 'mine' }, '#/secret', 'read_only'],
  [{ url: 'https://example.com', events: ['*'], description: 5 }, '#/description', 'wrong_type'],
])('subscribing %j is rejected at %s: %s', async (body, pointer, code) => {
  const { send } = await serveForTest()
  expect((await send('POST', '/v1/webhooks', body)).json).toMatchObject({ status: 422, errors: [{ pointer, code }] })
})

const PRIVATE = ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', '10.1.2.3']

test.each(PRIVATE)('a subscription to http://%s is rejected when it is not deliverable', async (host) => {
  const open = await serveForTest({ allowsPrivateTargets: false })
  const url = `http://${host}/hook`
  const refused = await open.send('POST', '/v1/webhooks', { url, events: ['*'] })
  expect(refused.json).toMatchObject({ status: 422, errors: [{ pointer: '#/url', code: 'not_deliverable' }] })
  const query = 'mutation ($url: String!) { createWebhook(input: { url: $url, events: ["*"] }) { secret } }'
  const { json } = await open.send('POST', '/v1/graphql', { query, variables: { url } })
  expect(json.errors).toMatchObject([{ extensions: { code: 'invalid_values' } }])
  const { send } = await serveForTest({ allowsPrivateTargets: true })
  expect((await send('POST', '/v1/webhooks', { url, events: ['*'] })).status).toBe(201)
})

test.each(['http://localhost/', 'https://example.com/', 'http://93.184.215.14/', 'http://[2606:2800:21f::1]/'])(
  'a subscription to %s is always accepted: names are resolved at each delivery',
  async (url) => {
    const { send } = await serveForTest({ allowsPrivateTargets: false })
    expect((await send('POST', '/v1/webhooks', { url, events: ['*'] })).status).toBe(201)
  },
)

test('a pattern that matches nothing is named with the known kinds', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/webhooks', { url: 'https://example.com', events: ['contact.made'] })
  expect(json.detail).toContain('"contact.made" matches no event')
  expect(json.detail).toContain(eventKinds().join(', '))
})

test('subscriptions are listed and shown without their secrets', async () => {
  const { send } = await serveForTest()
  const ids: unknown[] = []
  for (const url of ['https://a.example', 'https://b.example'])
    ids.unshift((await send('POST', '/v1/webhooks', { url, events: ['*'] })).json.id)
  const list = await send('GET', '/v1/webhooks')
  expect((list.json.data as { id: string }[]).map(({ id }) => id)).toEqual(ids)
  const shown = await send('GET', `/v1/webhooks/${ids[0]}`)
  expect(shown.json).toMatchObject({ id: ids[0], url: 'https://b.example', events: ['*'], status: 'enabled' })
  expect(shown.headers.get('etag')).toBe('"1"')
  expect(list.text + shown.text).not.toMatch(/secret|whsec_/)
})
