import { expect, test } from 'vitest'
import { serveForTest } from './serve-for-test.ts'

const LOCK = { token: 't1', name: 'fixtures/demo.yaml/pr-17', owner: 'ci-1', ttl_seconds: 30 }

const PATH = '/v1/fixture-runs/run-1'

test('a run is made by its first lock, keeps the state as it was sent, and shows no token', async () => {
  const { send } = await serveForTest()
  expect(await send('GET', PATH)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  const locked = await send('POST', `${PATH}/lock`, LOCK)
  expect(locked).toMatchObject({ status: 200, json: { id: 'run-1', is_ended: true, state: null } })
  expect(locked.json.lock).toMatchObject({ owner: 'ci-1' })
  const kept = await send('PATCH', PATH, '{"token":"t1","is_ended":false,"state":{"n":1.50,"__proto__":[]}}')
  expect(kept.status).toBe(204)
  const shown = await send('GET', PATH)
  expect(shown.text).toContain('"state":{"n":1.50,"__proto__":[]}')
  expect(shown.text).not.toContain('t1')
  expect((await send('GET', '/v1/fixture-runs')).json.data).toMatchObject([{ id: 'run-1', is_ended: false }])
  expect((await send('DELETE', `${PATH}/lock?token=t1`)).status).toBe(204)
  expect((await send('GET', PATH)).json.lock).toBeNull()
})

test('a lock that is held is 409 with its owner, and so is what another token writes', async () => {
  const { send } = await serveForTest()
  await send('POST', `${PATH}/lock`, LOCK)
  const other = { ...LOCK, token: 't2', owner: 'ci-2' }
  expect(await send('POST', `${PATH}/lock`, other)).toMatchObject({
    status: 409,
    json: { code: 'run_locked', lock: { owner: 'ci-1', expires_at: expect.stringMatching(/Z$/) } },
  })
  for (const [method, path, body] of [
    ['PATCH', PATH, { token: 't2', state: {}, is_ended: true }],
    ['PATCH', `${PATH}/lock`, { token: 't2', ttl_seconds: 30 }],
    ['DELETE', `${PATH}/lock?token=t2`, undefined],
  ] as const) {
    expect(await send(method, path, body)).toMatchObject({ status: 409, json: { code: 'lock_lost' } })
  }
})

test.each([
  ['POST', '/v1/fixture-runs/a%2Fb/lock', LOCK, '400 invalid_id'],
  ['POST', `${PATH}/lock`, { ...LOCK, ttl_seconds: 0 }, '422 invalid_values'],
  ['POST', `${PATH}/lock`, { ...LOCK, ttl_seconds: '30' }, '422 invalid_values'],
  ['POST', `${PATH}/lock`, { ...LOCK, owner: 'x'.repeat(401) }, '422 invalid_values'],
  ['POST', `${PATH}/lock`, { ...LOCK, ttl: 30 }, '422 invalid_values'],
  ['PATCH', PATH, { token: 't1', state: [], is_ended: true }, '422 invalid_values'],
  ['DELETE', `${PATH}/lock`, undefined, '400 invalid_parameter'],
] as const)('%s %s with bad input is refused, case %#', async (method, path, body, refusal) => {
  const { send } = await serveForTest()
  const { status, json } = await send(method, path, body)
  expect(`${status} ${json.code}`).toBe(refusal)
  expect((await send('GET', '/v1/fixture-runs')).json.data).toEqual([])
})

test('a state may have 8 MiB, and other bodies still 1 MiB', async () => {
  const { send } = await serveForTest()
  await send('POST', `${PATH}/lock`, LOCK)
  const sized = (bytes: number) => `{"token":"t1","is_ended":false,"state":{"a":"${'x'.repeat(bytes)}"}}`
  expect((await send('PATCH', PATH, sized(2 * 1024 * 1024))).status).toBe(204)
  const large = await send('PATCH', PATH, sized(8 * 1024 * 1024))
  expect(large).toMatchObject({ status: 413, json: { detail: 'the body is larger than 8 MiB' } })
  const contact = await send('POST', '/v1/contacts', `{"name":"${'x'.repeat(1024 * 1024)}"}`)
  expect(contact).toMatchObject({ status: 413, json: { detail: 'the body is larger than 1 MiB' } })
})

test('a key that may only read reads runs, and takes no lock', async () => {
  const { send, addKey } = await serveForTest()
  const { text } = await addKey(['read'])
  const headers = { authorization: `Bearer ${text}` }
  expect((await send('GET', '/v1/fixture-runs', undefined, headers)).status).toBe(200)
  expect((await send('POST', `${PATH}/lock`, LOCK, headers)).status).toBe(403)
})
