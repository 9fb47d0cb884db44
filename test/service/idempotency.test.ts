import { expect, test } from 'vitest'
import { rotateKey } from '../../src/service/keys.ts'
import { type Answered, serveForTest } from './serve-for-test.ts'

function wire({ status, text, headers }: Answered): unknown {
  return { status, text, location: headers.get('location'), etag: headers.get('etag') }
}

test('fifty concurrent requests with one key make one record and get equal answers, also after a rotation', async () => {
  const { send, store, key } = await serveForTest()
  const post = (authorization: string) =>
    send('POST', '/v1/contacts', { name: 'Ada' }, { 'idempotency-key': 'k-1', authorization })
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(`Bearer ${key.text}`)))
  const rotated = await rotateKey(store, key.key.id, { overlapMs: 0, nowMs: Date.now(), hint: '' })
  const authorization = `Bearer ${rotated.text}`
  answers.push(await post(authorization))
  expect(new Set(answers.map((answer) => JSON.stringify(wire(answer)))).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect(answers.filter((answer) => !answer.headers.has('idempotent-replayed'))).toHaveLength(1)
  expect(answers.at(-1)?.headers.get('idempotent-replayed')).toBe('true')
  expect((await post(`Bearer ${key.text}`)).status).toBe(401)
  expect((await send('GET', '/v1/contacts', undefined, { authorization })).json.data).toHaveLength(1)
})

test('a patch sent twice with one key takes effect once, even with If-Match', async () => {
  const { send } = await serveForTest()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' })
  const patch = () =>
    send('PATCH', `/v1/contacts/${json.id}`, { name: 'Bob' }, { 'idempotency-key': 'k', 'if-match': '"1"' })
  const first = await patch()
  expect(first.json).toMatchObject({ name: 'Bob', version: 2 })
  const replay = await patch()
  expect(wire(replay)).toEqual(wire(first))
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
})

test('the same key for another body, path or method is rejected', async () => {
  const { send } = await serveForTest()
  const headers = { 'idempotency-key': 'k' }
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada' }, headers)
  for (const answer of [
    await send('POST', '/v1/contacts', '{"name": "Ada"}', headers),
    await send('POST', '/v1/deals', { name: 'Ada', stage: 'Lead' }, headers),
    await send('PATCH', `/v1/contacts/${json.id}`, { name: 'Ada' }, headers),
  ]) {
    expect(answer.json).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  }
})

test('bare and quoted are the same key', async () => {
  const { send } = await serveForTest()
  const post = (key: string) => send('POST', '/v1/contacts', { name: 'Ada' }, { 'idempotency-key': key })
  const bare = await post('a\\b c')
  expect((await post('"a\\\\b c"')).text).toBe(bare.text)
})

test.each(['""', '"a', '"a"b', '"a";p=1', '"a\\b"', 'é', '"é"', 'x'.repeat(256), `"${'x'.repeat(256)}"`])(
  'the key %j is rejected',
  async (key) => {
    const { send } = await serveForTest()
    const answer = await send('POST', '/v1/contacts', { name: 'Ada' }, { 'idempotency-key': key })
    expect(answer.json).toMatchObject({ status: 400, code: 'invalid_idempotency_key' })
  },
)

test('a key may have 255 characters', async () => {
  const { send } = await serveForTest()
  for (const key of ['x'.repeat(255), `"${'y'.repeat(255)}"`]) {
    expect((await send('POST', '/v1/contacts', { name: 'a' }, { 'idempotency-key': key })).status).toBe(201)
  }
})

test('a rejection is not stored: the corrected request may use the same key', async () => {
  const { send } = await serveForTest()
  const headers = { 'idempotency-key': 'k' }
  expect((await send('POST', '/v1/contacts', { name: 5 }, headers)).status).toBe(422)
  expect((await send('POST', '/v1/deals/deal_1/notes', { body: 'a' }, headers)).status).toBe(404)
  expect((await send('POST', '/v1/contacts', { name: 'Ada' }, headers)).status).toBe(201)
})

test('the answer is replayed byte for byte for 24 hours, also when the record changed; then the key is unused', async () => {
  let nowMs = Date.UTC(2026, 10, 20, 12)
  const { send } = await serveForTest({ now: () => nowMs })
  const post = () => send('POST', '/v1/contacts', { name: 'Zoë', n: 1.5 }, { 'idempotency-key': 'day' })
  const first = await post()
  await send('PATCH', `/v1/contacts/${first.json.id}`, { name: 'other' })
  nowMs += 24 * 60 * 60 * 1000
  const last = await post()
  expect(wire(last)).toEqual(wire(first))
  expect(last.headers.get('idempotent-replayed')).toBe('true')
  nowMs += 1
  const anew = await post()
  expect(anew.status).toBe(201)
  expect(anew.headers.has('idempotent-replayed')).toBe(false)
  expect(anew.json.id).not.toBe(first.json.id)
  expect(wire(await post())).toEqual(wire(anew))
})
