import { expect, test } from 'vitest'
import { secretBytes, signWebhook } from '../../src/core/signing.ts'

// Published vectors: the JavaScript, Go and Ruby suites of Standard Webhooks, and the documentation of Svix.
test.each([
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    id: 'msg_loFOjxBNrRLzqYUf',
    timestamp: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
])('the signature of $id equals the published one', ({ secret, id, timestamp, body, signature }) => {
  expect(signWebhook(secretBytes(secret), { id, timestamp, body: Buffer.from(body) })).toBe(signature)
})
