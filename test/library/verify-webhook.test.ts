import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect, test } from 'vitest'
import { newWebhookSecret, secretBytes, signWebhook } from '../../src/core/signing.ts'
import { SignatureError, verifyWebhook } from '../../src/library/verify-webhook.ts'

const SECRET = newWebhookSecret()
const BODY = JSON.stringify({
  type: 'contact.created',
  timestamp: '2026-03-01T09:30:00Z',
  data: { id: 'con_1', name: 'Zoë' },
})
const NOW_MS = Date.now()

function signed(body = BODY, secret = SECRET, seconds = Math.floor(NOW_MS / 1000)): Record<string, string> {
  const parts = { id: 'evt_1', timestamp: seconds, body: Buffer.from(body) }
  const signature = signWebhook(secretBytes(secret), parts)
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(seconds), 'webhook-signature': signature }
}

async function reasonOf(verifying: Promise<unknown>): Promise<unknown> {
  const error = await verifying.catch((thrown: unknown) => thrown)
  return error instanceof SignatureError ? error.reason : error
}

test('what the libraries of Standard Webhooks and Svix sign is accepted, and what is accepted here they accept', async () => {
  const at = new Date(NOW_MS)
  const theirs = new StandardWebhook(SECRET).sign('evt_1', at, BODY)
  const svix = new SvixWebhook(SECRET).sign('evt_1', at, BODY)
  for (const signature of [theirs, svix]) {
    const headers = { ...signed(), 'webhook-signature': signature }
    expect(await verifyWebhook(BODY, headers, SECRET)).toMatchObject({ type: 'contact.created' })
  }
  expect(new StandardWebhook(SECRET).verify(BODY, signed())).toMatchObject({ type: 'contact.created' })
})

test('the body may be bytes, and the headers those of Fetch or of Node', async () => {
  const expected = { type: 'contact.created', data: { name: 'Zoë' } }
  expect(await verifyWebhook(Buffer.from(BODY), new Headers(signed()), [SECRET])).toMatchObject(expected)
  const bytes = new Uint8Array(Buffer.from(BODY)).buffer
  const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]))
  expect(await verifyWebhook(bytes, upper, [newWebhookSecret(), SECRET])).toMatchObject(expected)
})

test.for([
  ['a changed body', () => verifyWebhook(`${BODY} `, signed(), SECRET), 'signature_mismatch'],
  ['another secret', () => verifyWebhook(BODY, signed(BODY, newWebhookSecret()), SECRET), 'signature_mismatch'],
  ['no signature', () => verifyWebhook(BODY, {}, SECRET), 'no_signature'],
  ['an id with a dot', () => verifyWebhook(BODY, { ...signed(), 'webhook-id': 'a.b' }, SECRET), 'malformed_header'],
  [
    'a header that was sent twice',
    () => verifyWebhook(BODY, { ...signed(), 'webhook-id': ['evt_1', 'evt_1'] }, SECRET),
    'malformed_header',
  ],
  [
    'more signatures than anyone sends',
    () => verifyWebhook(BODY, { ...signed(), 'webhook-signature': 'v1,AAAA '.repeat(17).trim() }, SECRET),
    'malformed_header',
  ],
  ['an old request', () => verifyWebhook(BODY, signed(), SECRET, { nowMs: NOW_MS + 302_000 }), 'stale'],
  ['a request of the future', () => verifyWebhook(BODY, signed(), SECRET, { nowMs: NOW_MS - 302_000 }), 'future'],
  ['a genuine body that is no event', () => verifyWebhook('[]', signed('[]'), SECRET), 'malformed_request'],
] as const)('%s is refused', async ([, verifying, reason]) => {
  expect(await reasonOf(verifying())).toBe(reason)
})

test('a body that was parsed, and a secret that is none, are faults of the program', async () => {
  await expect(verifyWebhook(JSON.parse(BODY), signed(), SECRET)).rejects.toThrow(TypeError)
  for (const secret of ['', 'whsec_', 'whsec_!!', undefined as never]) {
    await expect(verifyWebhook(BODY, signed(), secret)).rejects.toThrow(TypeError)
  }
  await expect(verifyWebhook(BODY, signed(), [])).rejects.toThrow(TypeError)
})

test('numbers of an event keep their digits', async () => {
  const body = '{"type":"deal.created","timestamp":"t","data":{"amount":12345678901234567.89}}'
  expect(JSON.stringify(await verifyWebhook(body, signed(body), SECRET))).toContain('12345678901234567.89')
})
