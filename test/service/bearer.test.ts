import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { revokeKey } from '../../src/service/keys.ts'
import { serveForTest } from './serve-for-test.ts'

test('without credentials the challenge names no error', async () => {
  const { send } = await serveForTest()
  for (const authorization of ['', 'Basic YTpi', 'Token abc']) {
    const answer = await send('GET', '/v1/contacts', undefined, { authorization })
    expect(answer.json).toMatchObject({ status: 401, code: 'unauthorized' })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="crm"')
  }
})

test.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a,b', 'Bearer "a"', 'Bearer a=b'])(
  'the header %j is malformed',
  async (authorization) => {
    const { send } = await serveForTest()
    const answer = await send('GET', '/v1/contacts', undefined, { authorization })
    expect(answer.json).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="crm", error="invalid_request"')
  },
)

test('two Authorization headers are rejected, even when the first is valid', async () => {
  const { url, key } = await serveForTest()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const header = `Authorization: Bearer ${key.text}\r\n`
  socket.write(`GET /v1/contacts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}${header}\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})

test.each(['access_token', 'api_key', 'key'])('a key as %s in the URL is rejected and not repeated', async (name) => {
  const { send, key } = await serveForTest()
  const answer = await send('GET', `/v1/contacts?${name}=${key.text}`)
  expect(answer.json).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(answer.text).not.toContain(key.text)
})

test('an unknown, revoked or expired key is an invalid token at once', async () => {
  let nowMs = Date.UTC(2026, 0, 1)
  const { send, store, addKey } = await serveForTest({ now: () => nowMs })
  const revoked = await addKey(['read'])
  const expiring = await addKey(['read'], { expiresAtMs: nowMs + 1000 })
  const list = (key: string) => send('GET', '/v1/contacts', undefined, { authorization: `bearer ${key}` })
  expect((await list(revoked.text)).status).toBe(200)
  expect((await list(expiring.text)).status).toBe(200)
  await revokeKey(store, revoked.key.id, { nowMs, hint: '' })
  nowMs += 1000
  for (const [key, why] of [
    [revoked.text, 'the key was revoked'],
    [expiring.text, 'the key has expired'],
    ['crm_key_unknown', 'no such key'],
  ]) {
    const answer = await list(key ?? '')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="crm", error="invalid_token", error_description="${why}"`,
    )
  }
})

test('a key can do only what its scopes allow', async () => {
  const { send, addKey } = await serveForTest()
  const reader = { authorization: `Bearer ${(await addKey(['read'])).text}` }
  const writer = { authorization: `Bearer ${(await addKey(['write'])).text}` }
  expect((await send('GET', '/v1/deals', undefined, reader)).status).toBe(200)
  expect((await send('POST', '/v1/contacts', { name: 'a' }, writer)).status).toBe(201)
  for (const [method, path] of [
    ['POST', '/v1/contacts'],
    ['PATCH', '/v1/contacts/con_1'],
    ['DELETE', '/v1/contacts/con_1'],
    ['POST', '/v1/deals'],
    ['POST', '/v1/deals/deal_1/notes'],
    ['POST', '/v1/webhooks'],
  ] as const) {
    const answer = await send(method, path, undefined, reader)
    expect(answer.json).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="crm", error="insufficient_scope", scope="write"')
  }
  for (const path of ['/v1/contacts', '/v1/deals', '/v1/pipelines/sales/stages']) {
    expect((await send('GET', path, undefined, writer)).status).toBe(403)
  }
})

test('health needs no key', async () => {
  const { send } = await serveForTest()
  const answer = await send('GET', '/healthz', undefined, { authorization: '' })
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('{"status":"ok"}')
})
