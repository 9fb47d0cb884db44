import { spawnSync } from 'node:child_process'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect, test } from 'vitest'
import { secretBytes } from '../../../src/core/signing.ts'
import { Signer } from '../../../src/service/delivery/transport.ts'
import { sample } from '../../harness/sample.ts'
import { NAUGHTY } from '../../output/naughty-strings.ts'
import { deliverForTest } from './deliver-for-test.ts'
import { type Received, startReceiver } from './receiver.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const NAMES = ['Ada', 'Zoë 🦊 \u202e漢字', 'quo"te\\ \u0000\n', 'e\u0301'.repeat(2000)]

/** Three attempts of each event: the first two are rejected. */
async function everyTry(): Promise<{ secret: string; tries: readonly Received[] }> {
  const tries = new Map<string, number>()
  const receiver = await startReceiver(({ headers }) => {
    const id = String(headers['webhook-id'])
    tries.set(id, (tries.get(id) ?? 0) + 1)
    return (tries.get(id) ?? 0) < 3 ? 500 : 200
  })
  const { subscribe, make } = await deliverForTest()
  const { secret } = await subscribe(receiver.url)
  for (const name of NAMES) await make(name)
  return { secret, tries: await receiver.arrived(NAMES.length * 3) }
}

function headersOf({ headers }: Received): Record<string, string> {
  return Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [`webhook-${name}`, String(headers[`webhook-${name}`])]),
  )
}

test('the verifiers of Standard Webhooks and Svix accept every attempt, also repeated ones', async () => {
  const { secret, tries } = await everyTry()
  for (const each of tries) {
    const body = each.body.toString()
    const event = JSON.parse(body)
    expect(new StandardWebhook(secret).verify(body, headersOf(each))).toEqual(event)
    new SvixWebhook(secret).verify(body, headersOf(each))
    expect(() => new SvixWebhook(secret).verify(`${body} `, headersOf(each))).toThrow('No matching signature')
  }
  const ids = tries.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(NAMES.length)
})

test.skipIf(!hasOpenssl)('openssl computes the signature of every attempt (skipped without openssl)', async () => {
  const { secret, tries } = await everyTry()
  for (const each of tries) {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headersOf(each)
    const key = secretBytes(secret).toString('hex')
    const input = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), each.body])
    const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary']
    const { stdout } = spawnSync('openssl', args, { input })
    expect(signature).toBe(`v1,${stdout.toString('base64')}`)
  }
})

test('a delivery contains the event unchanged, with the headers of the standard', async () => {
  const receiver = await startReceiver()
  const { subscribe, make, url } = await deliverForTest()
  await subscribe(receiver.url)
  const id = await make('Ada')
  const [{ headers, body, path }] = (await receiver.arrived(1)) as [Received]
  expect(path).toBe('/hook')
  expect(JSON.parse(body.toString())).toMatchObject({ type: 'contact.created', data: { id, name: 'Ada', version: 1 } })
  expect(headers).toMatchObject({
    host: `127.0.0.1:${receiver.port}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'crm/1.2.3',
    'webhook-id': expect.stringMatching(/^evt_[0-9a-z]{11}$/),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
  })
  expect(JSON.stringify(headers)).not.toContain(url)
})

test('every naughty string arrives unchanged and signed', async () => {
  const receiver = await startReceiver()
  const { subscribe, send } = await deliverForTest()
  const { secret } = await subscribe(receiver.url)
  const texts = sample(NAUGHTY, 10)
  for (const [n, name] of texts.entries()) await send('POST', '/v1/contacts', { n, name })
  await receiver.arrived(texts.length)
  const verifier = new StandardWebhook(secret)
  const arrived = receiver.received.map((each) => verifier.verify(each.body.toString(), headersOf(each)) as Event)
  expect(new Map(arrived.map(({ data }) => [data.n, data.name]))).toEqual(new Map(texts.entries()))
})

interface Event {
  readonly data: { readonly n: number; readonly name: string }
}

test('during a rotation both secrets verify', () => {
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
  const delivery = {
    eventId: 'evt_1',
    webhookId: 'wh_1',
    claimedUntilMs: 0,
    url: 'https://example.com/',
    secrets,
    text: '{}',
    failedTries: 0,
  }
  const { headers } = new Signer('crm/1').sign(delivery, Date.now())
  const text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  for (const secret of secrets) expect(new StandardWebhook(secret).verify('{}', text)).toEqual({})
})
