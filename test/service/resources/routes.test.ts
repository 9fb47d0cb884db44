import { expect, test } from 'vitest'
import { RESOURCES, type Resource, serviceOperationsOf } from '../../../src/core/resources/registry.ts'
import { methodOf, operationPath } from '../../../src/service/resources/routes.ts'
import { DELIVERIES_PATH, RESEND_PATH, ROTATE_PATH } from '../../../src/service/resources/webhooks.ts'
import { serveForTest } from '../serve-for-test.ts'

const OPERATIONS = (Object.keys(RESOURCES) as Resource[]).flatMap((resource) =>
  serviceOperationsOf(resource).map((operation) => ({ resource, operation })),
)

const REQUESTS = [
  ...OPERATIONS.map(({ resource, operation }) => ({
    method: methodOf(operation),
    path: operationPath(resource, operation),
  })),
  { method: 'GET', path: DELIVERIES_PATH },
  { method: 'POST', path: ROTATE_PATH },
  { method: 'POST', path: RESEND_PATH },
].map(({ method, path }) => ({ method, path: path.replace('{id}', 'x').replace('{event_id}', 'evt_0s9nekas400') }))

test.each(REQUESTS)('$method $path needs a key with its scope, and knows its parameters', async ({ method, path }) => {
  const { send, addKey } = await serveForTest()
  const other = await addKey([method === 'GET' ? 'write' : 'read'])
  expect((await send(method, path, undefined, { authorization: '' })).status).toBe(401)
  const refused = await send(method, path, undefined, { authorization: `Bearer ${other.text}` })
  expect(refused.json).toMatchObject({ status: 403, code: 'insufficient_scope' })
  expect((await send(method, `${path}?bogus=1`)).json).toMatchObject({ status: 400, code: 'invalid_parameter' })
})

const OF_ONE = REQUESTS.filter(({ path }) => path.includes('/x') && !path.endsWith('/stages'))

test.each(OF_ONE)(
  '$method $path of an unknown id, or an id of another kind, is not found',
  async ({ method, path }) => {
    const { send } = await serveForTest()
    for (const id of ['x', 'con_0s9nekas400', 'deal_0s9nekas400', 'note_0s9nekas400', 'wh_0s9nekas400']) {
      const body = method === 'PATCH' ? {} : path.endsWith('/notes') && method === 'POST' ? { body: 'a' } : undefined
      const { json } = await send(method, path.replace('/x', `/${id}`), body)
      expect([id, json.status, json.code]).toEqual([id, 404, 'not_found'])
    }
  },
)

const READS = [
  ['/v1/contacts', { name: 'Ada', tags: ['a'] }],
  ['/v1/deals', '{"name":"a","stage":"Lead","amount":1200.50}'],
] as const

test.each(READS)('one record of %s is the bytes of its creation, with its version as ETag', async (path, body) => {
  const { send } = await serveForTest()
  const { text, json } = await send('POST', path, body)
  const shown = await send('GET', `${path}/${json.id}`)
  expect([shown.status, shown.text, shown.headers.get('etag')]).toEqual([200, text, '"1"'])
})

test('both probes answer without a key', async () => {
  const { send } = await serveForTest()
  const nobody = { authorization: '' }
  expect(await send('GET', '/healthz', undefined, nobody)).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  expect(await send('GET', '/readyz', undefined, nobody)).toMatchObject({ status: 200, text: '{"status":"ready"}' })
})

test('a key of any scope is shown itself: its name, scopes, expiry, and its own rate or that of the service', async () => {
  const nowMs = Date.UTC(2026, 0, 1)
  const { send, addKey } = await serveForTest({ now: () => nowMs, rateLimit: { requests: 9, windowMs: 2000 } })
  const show = async (text: string) =>
    (await send('GET', '/v1/key', undefined, { authorization: `Bearer ${text}` })).json
  const writer = await addKey(['write'], { expiresAtMs: nowMs + 1000 })
  expect(await show(writer.text)).toEqual({
    id: writer.key.id,
    name: writer.key.name,
    scopes: ['write'],
    last_four: writer.text.slice(-4),
    rate_limit: { requests: 9, window_ms: 2000 },
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-01T00:00:01.000Z',
  })
  const free = await addKey(['read'], { rate: 'none' })
  expect(await show(free.text)).toMatchObject({ scopes: ['read'], rate_limit: null, expires_at: null })
  expect((await send('GET', '/v1/key', undefined, { authorization: '' })).status).toBe(401)
})
