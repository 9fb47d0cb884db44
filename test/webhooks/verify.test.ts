import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { makeSecretFile, parseSecrets } from '../../src/webhooks/secrets.ts'
import { headersSignedAgain } from '../../src/webhooks/sign.ts'
import { prepareSecrets, type SignedMessage, verify } from '../../src/webhooks/verify.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { sampleEvent } from './sample-event.ts'
import { distinct, newSecret, signed } from './signed.ts'

const SECRET = newSecret()
const NOW_MS = 1_795_000_000_000

type Change = Record<string, string | string[] | undefined>

function deliver(body: string | Buffer, headers: Change): SignedMessage {
  const sent = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined)
  return { headers: distinct(Object.fromEntries(sent)), body: Buffer.from(body) }
}

/** A genuine delivery with changed headers. */
function changed(change: Change, body: string | Buffer = '{}'): SignedMessage {
  return deliver(body, { ...signed(SECRET, body, { timeMs: NOW_MS }).headers, ...change })
}

function refusal(delivery: SignedMessage, secrets: readonly string[] = [SECRET], nowMs = NOW_MS): unknown {
  try {
    return verify(delivery, prepareSecrets(secrets), nowMs).name
  } catch (error) {
    return (error as { reason?: unknown }).reason ?? error
  }
}

describe('published vectors', () => {
  const a = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330, body: '{"test": 2432232314}' }
  const b = { id: 'msg_loFOjxBNrRLzqYUf', at: 1_731_705_121, body: '{"event_type":"ping","data":{"success":true}}' }

  // The suites of Standard Webhooks in JavaScript, Go and Ruby; the documentation of Svix; the v1a test of Svix.
  test.each([
    {
      ...a,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    { ...b, secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl', signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=' },
    {
      ...a,
      secret: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
      signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    },
  ])('$signature is genuine, and with another body it is not', ({ id, at, body, secret, signature }) => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }
    expect(verify(deliver(body, headers), prepareSecrets([secret]), at * 1000).name).toBe('standard-webhooks')
    expect(refusal(deliver(`${body} `, headers), [secret], at * 1000)).toBe('signature_mismatch')
  })
})

test('a secret with an empty key verifies nothing: anyone can sign with it', () => {
  const delivery = deliver('{}', signed('whsec_', '{}', { timeMs: NOW_MS }).headers)
  for (const secret of ['whsec_A', 'A']) expect(refusal(delivery, [secret])).toBe('signature_mismatch')
})

describe('signatures of other libraries are accepted', () => {
  const body = '{"type":"contact.created","data":{"name":"Ada ☃ 🚀"}}'
  const at = new Date(NOW_MS)

  test('standardwebhooks', () => {
    const signature = new StandardWebhook(SECRET).sign('msg_1', at, body)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW_MS / 1000),
      'webhook-signature': signature,
    }
    expect(verify(deliver(body, headers), prepareSecrets([SECRET]), NOW_MS).name).toBe('standard-webhooks')
  })

  test('svix, with its own header names', () => {
    const signature = new SvixWebhook(SECRET).sign('msg_1', at, body)
    const headers = { 'svix-id': 'msg_1', 'svix-timestamp': String(NOW_MS / 1000), 'svix-signature': signature }
    expect(verify(deliver(body, headers), prepareSecrets([SECRET]), NOW_MS).name).toBe('svix')
  })

  test('Stripe, whose key is the whole secret', () => {
    const at = NOW_MS / 1000
    const mac = createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex')
    const genuine = deliver(body, { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${mac},v0=ff` })
    expect(verify(genuine, prepareSecrets([SECRET]), NOW_MS).name).toBe('stripe')
    expect(refusal(genuine, [SECRET], NOW_MS + 301_000)).toBe('stale')
    expect(refusal(deliver(body, { 'stripe-signature': `t=${at},t=${at},v1=${mac}` }))).toBe('malformed_header')
    expect(refusal(deliver(body, { 'stripe-signature': `v1=${mac}` }))).toBe('malformed_header')
  })

  // The example in the documentation of GitHub.
  test('GitHub, which signs the body alone', () => {
    const mac = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const headers = { 'x-hub-signature-256': `sha256=${mac}` }
    expect(verify(deliver('Hello, World!', headers), prepareSecrets(["It's a Secret to Everybody"]), NOW_MS).name).toBe(
      'github',
    )
    expect(refusal(deliver('Hello, World?', headers), ["It's a Secret to Everybody"])).toBe('signature_mismatch')
  })
})

describe('a genuine delivery', () => {
  test('may have a body that is not text', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x7b])
    expect(refusal(changed({}, body))).toBe('standard-webhooks')
  })

  test('may carry additional signatures of other versions and secrets', () => {
    const [own = ''] = changed({}).headers['webhook-signature'] ?? []
    const other = signed(newSecret(), '{}', { timeMs: NOW_MS }).headers['webhook-signature']
    expect(refusal(changed({ 'webhook-signature': `v2,abc ${other} v1,short nonsense ${own}` }))).toBe(
      'standard-webhooks',
    )
  })

  test('may be signed with any of several secrets', () => {
    expect(refusal(changed({}), [newSecret(), SECRET])).toBe('standard-webhooks')
    expect(refusal(changed({}), [newSecret(), newSecret()])).toBe('signature_mismatch')
  })

  test.each([
    [-301, 'future'],
    [-300, 'standard-webhooks'],
    [300, 'standard-webhooks'],
    [301, 'stale'],
  ])('that is %i s old is %s', (ageSeconds, outcome) => {
    expect(refusal(changed({}), [SECRET], NOW_MS + ageSeconds * 1000)).toBe(outcome)
  })

  test('is verified by the scheme of its header when the secret looks like that of another', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const whpk = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`
    const at = String(NOW_MS / 1000)
    const signature = `v1a,${sign(null, Buffer.from(`id.${at}.{}`), privateKey).toString('base64')}`
    const headers = { 'webhook-id': 'id', 'webhook-timestamp': at, 'webhook-signature': signature }
    expect(refusal(deliver('{}', headers), [SECRET, whpk])).toBe('standard-webhooks')
  })
})

describe('refused is', () => {
  test.each([
    [{ 'webhook-id': undefined }, 'malformed_header'],
    [{ 'webhook-id': '' }, 'malformed_header'],
    [{ 'webhook-id': 'evt.1' }, 'malformed_header'],
    [{ 'webhook-id': ['evt_1', 'evt_1'] }, 'malformed_header'],
    [{ 'webhook-timestamp': undefined }, 'malformed_header'],
    [{ 'webhook-timestamp': ['1795000000', '1795000000'] }, 'malformed_header'],
    [{ 'webhook-timestamp': '1795000000.9' }, 'malformed_header'],
    [{ 'webhook-timestamp': ' 1795000000' }, 'malformed_header'],
    [{ 'webhook-timestamp': '0x6AFD8BC0' }, 'malformed_header'],
    [{ 'webhook-timestamp': '9'.repeat(40) }, 'malformed_header'],
    [{ 'webhook-timestamp': '1795000001' }, 'signature_mismatch'],
    [{ 'webhook-id': 'evt_2' }, 'signature_mismatch'],
    [{ 'webhook-signature': undefined }, 'no_signature'],
    [{ 'webhook-signature': ['v1,AA==', 'v1,AA=='] }, 'malformed_header'],
    [{ 'webhook-signature': '' }, 'malformed_header'],
    [{ 'webhook-signature': 'v1,' }, 'signature_mismatch'],
    [{ 'webhook-signature': 'v2,AA==' }, 'unknown_scheme'],
    [{ 'webhook-signature': 'nonsense' }, 'unknown_scheme'],
    [{ 'webhook-signature': '__proto__,AA==' }, 'unknown_scheme'],
    [{ 'webhook-signature': 'v1a,AA==' }, 'signature_mismatch'],
    [{ 'webhook-signature': Array(17).fill('v1,AA==').join(' ') }, 'malformed_header'],
    [{ 'webhook-signature': undefined, 'x-shopify-hmac-sha256': 'AA==' }, 'unknown_scheme'],
    [{ 'webhook-signature': undefined, 'close-sig-hash': 'AA' }, 'unknown_scheme'],
    [{ 'webhook-signature': undefined, 'x-design': 'nice' }, 'no_signature'],
  ] as [Change, string][])('%j: %s', (change, reason) => {
    expect(refusal(changed(change))).toBe(reason)
  })

  test('a signature with one bit of its base64 changed, and one with trailing text', () => {
    const [own = ''] = changed({}).headers['webhook-signature'] ?? []
    for (const text of [own.replace('v1,', 'v1,A').slice(0, -1), `${own}=`, own.slice(0, -1), own.toLowerCase()]) {
      expect(refusal(changed({ 'webhook-signature': text }))).toBe('signature_mismatch')
    }
  })

  test('a signature with an empty key, when the secret contains no base64', () => {
    const headers = signed('', '{}', { timeMs: NOW_MS }).headers
    for (const secret of ['whsec_', '!!!', 'ä', '====']) {
      expect(refusal(deliver('{}', headers), [secret])).toBe('signature_mismatch')
    }
  })

  test('a signature with a public key used as a secret', () => {
    const whpk = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4='
    const mac = createHmac('sha256', whpk).update('{}').digest('hex')
    expect(refusal(deliver('{}', { 'x-hub-signature-256': `sha256=${mac}` }), [whpk])).toBe('signature_mismatch')
    const asSecret = signed(whpk.replace('whpk_', 'whsec_'), '{}', { timeMs: NOW_MS }).headers
    expect(refusal(deliver('{}', asSecret), [whpk])).toBe('signature_mismatch')
  })

  test('an old delivery with a wrong signature is reported for its signature: only genuine ones are stale', () => {
    expect(refusal(changed({}), [newSecret()], NOW_MS + 900_000)).toBe('signature_mismatch')
  })
})

test('no message quotes a signature or a secret', () => {
  const [own = ''] = changed({}).headers['webhook-signature'] ?? []
  try {
    verify(changed({ 'webhook-id': 'evt_2' }), prepareSecrets([SECRET]), NOW_MS)
    expect.unreachable()
  } catch (error) {
    const { message } = error as Error
    expect(message).toBe('signed with another secret, or the body was changed in transit')
    expect(message).not.toContain(own)
  }
})

test('a replayed event is signed now and keeps its id', () => {
  const event = sampleEvent('evt_1', { receivedAtMs: NOW_MS - 900_000 })
  const headers = Object.fromEntries(headersSignedAgain(event, [SECRET], NOW_MS))
  expect(headers['webhook-id']).toBe('evt_1')
  expect(refusal(deliver(event.delivery.bytes, headers))).toBe('standard-webhooks')
})

const WHPK = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4='

test('there is one secret per line; surrounding blanks and empty lines are ignored', () => {
  expect(parseSecrets(` whsec_YQ==\r\n\n${WHPK}\n`, 'F')).toEqual(['whsec_YQ==', WHPK])
})

test.each([
  ['', 'F holds no secret'],
  [' \n \n', 'F holds no secret'],
  ['whsec_YQ==\nwhsk_YWJjZGVm', 'line 2 of F is a private key (whsk_); verification needs the public key (whpk_)'],
  ['the secret is abc', 'line 1 of F is not a signing secret'],
  ['{\n  "secret": "abc"\n}', 'line 1 of F is not a signing secret'],
  ['whsec_YQ==\nwhsec_no*base64', 'line 2 of F is not a signing secret'],
  ['short', 'line 1 of F is not a signing secret'],
  ['whpk_c2hvcnQ=', 'line 1 of F is not an ed25519 public key of 32 bytes'],
])('%j is refused without being quoted', (text, message) => {
  expect(() => parseSecrets(text, 'F')).toThrow(expect.objectContaining({ code: 'invalid_input', message }))
})

test('a new secret file is readable by its owner alone, and an existing file is unchanged', async () => {
  const path = join(await tempFolder(), 'secret')
  expect(await makeSecretFile(path)).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const text = await readFile(path, 'utf8')
  expect(parseSecrets(text, path)).toHaveLength(1)
  expect(await makeSecretFile(path)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe(text)
})
