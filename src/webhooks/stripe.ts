import { createHmac } from 'node:crypto'
import { onlyValue } from './headers.ts'
import { Rejection } from './rejection.ts'
import type { Scheme } from './scheme.ts'

const signatureHeader = 'stripe-signature'

/** `t=…,v1=…`, where the whole secret, including `whsec_`, is the key (docs.stripe.com/webhooks, "Verify manually"). */
export const stripeScheme: Scheme = {
  name: 'stripe',
  signatureHeader,
  idHeader: undefined,
  eventHeader: undefined,
  encoding: 'hex',
  read(headers) {
    const parts = onlyValue(headers, signatureHeader).split(',')
    const valuesOf = (key: string): string[] =>
      parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1))
    const [timestamp, ...more] = valuesOf('t')
    if (timestamp === undefined || more.length > 0) {
      throw new Rejection('malformed_header', `${signatureHeader} holds ${more.length + Number(!!timestamp)} times t=`)
    }
    const signatures = valuesOf('v1').map((text) => ({ algorithm: 'hmac-sha256' as const, text }))
    return { timestamp, prefix: `${timestamp}.`, signatures }
  },
  hmacKey: (secret) => Buffer.from(secret),
  sign: ({ timestamp, body }, keys) => {
    const signatures = keys.map((key) => createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex'))
    return [['Stripe-Signature', [`t=${timestamp}`, ...signatures.map((text) => `v1=${text}`)].join(',')]]
  },
}
