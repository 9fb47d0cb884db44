import { createHmac } from 'node:crypto'
import { secretBytes, signWebhook } from '../core/signing.ts'
import type { SchemeName } from '../core/webhook-events.ts'
import { Rejection } from './rejection.ts'

/** Lower-case names, each with all values sent under it. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>

export interface Signature {
  readonly algorithm: 'hmac-sha256' | 'ed25519'
  /** In the encoding of the scheme. */
  readonly text: string
}

/** What the headers of a delivery claim about its signature; not verified yet. */
export interface SignatureClaim {
  /** Unix seconds as sent; undefined where the scheme has none and replays cannot be detected by age. */
  readonly timestamp: string | undefined
  /** The text signed before the body. */
  readonly prefix: string
  /** Signatures of known versions; any of them may match. */
  readonly signatures: readonly Signature[]
}

/** A message that this machine signs. */
export interface Unsigned {
  readonly id: string
  /** The event's name, for schemes that send it outside of the body. */
  readonly name: string | undefined
  /** Unix seconds. */
  readonly timestamp: number
  readonly body: Buffer
}

/** A signature scheme. A new scheme is an object of this type, and a line in SCHEMES. */
export interface Scheme {
  readonly name: SchemeName
  /** Its presence identifies the scheme. The prefix of the secret does not: Stripe uses `whsec_` too. */
  readonly signatureHeader: string
  readonly idHeader: string | undefined
  /** The header of the event's name, if the scheme has one. */
  readonly eventHeader: string | undefined
  readonly encoding: 'base64' | 'hex'
  /** Throws a Rejection `malformed_header`. */
  read(headers: HeaderValues): SignatureClaim
  /** The HMAC key of a secret; undefined when the secret is not valid for this scheme. */
  hmacKey(secret: string): Buffer | undefined
  /** The headers of the scheme, with a signature by each key. */
  sign(unsigned: Unsigned, keys: readonly Buffer[]): readonly (readonly [name: string, value: string])[]
}

const ALGORITHMS: ReadonlyMap<string, Signature['algorithm']> = new Map([
  ['v1', 'hmac-sha256'],
  ['v1a', 'ed25519'],
])

/** `t=…,v1=…`, where the whole secret, including `whsec_`, is the key (docs.stripe.com/webhooks, "Verify manually"). */
const stripeScheme: Scheme = {
  name: 'stripe',
  signatureHeader: 'stripe-signature',
  idHeader: undefined,
  eventHeader: undefined,
  encoding: 'hex',
  read(headers) {
    const parts = onlyValue(headers, 'stripe-signature').split(',')
    const valuesOf = (key: string): string[] =>
      parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1))
    const [timestamp, ...more] = valuesOf('t')
    if (timestamp === undefined || more.length > 0) {
      throw new Rejection('malformed_header', `stripe-signature holds ${more.length + Number(!!timestamp)} times t=`)
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

/** `sha256=…` over the body alone (docs.github.com, "Validating webhook deliveries"); there is no timestamp. */
const githubScheme: Scheme = {
  name: 'github',
  signatureHeader: 'x-hub-signature-256',
  idHeader: 'x-github-delivery',
  eventHeader: 'x-github-event',
  encoding: 'hex',
  read(headers) {
    const value = onlyValue(headers, 'x-hub-signature-256')
    const isKnown = value.startsWith('sha256=')
    const signatures = isKnown ? [{ algorithm: 'hmac-sha256' as const, text: value.slice('sha256='.length) }] : []
    return { timestamp: undefined, prefix: '', signatures }
  },
  hmacKey: (secret) => Buffer.from(secret),
  // The header holds one signature: that of the newest secret.
  sign: ({ id, name, body }, [key = Buffer.alloc(0)]) => [
    ['X-GitHub-Delivery', id],
    ['X-GitHub-Event', name ?? 'ping'],
    ['X-Hub-Signature-256', `sha256=${createHmac('sha256', key).update(body).digest('hex')}`],
  ],
}

const SCHEMES: readonly Scheme[] = [
  standardScheme('standard-webhooks', 'webhook'),
  standardScheme('svix', 'svix'),
  stripeScheme,
  githubScheme,
]

export function findScheme(headers: HeaderValues): Scheme | undefined {
  return SCHEMES.find(({ signatureHeader }) => headers[signatureHeader] !== undefined)
}

export function schemeNamed(name: SchemeName): Scheme {
  const scheme = SCHEMES.find((each) => each.name === name)
  if (!scheme) throw new Error(`there is no scheme ${name}`)
  return scheme
}

/** Standard Webhooks 1.0, and Svix, its origin, with other header names. */
function standardScheme(name: SchemeName, prefix: 'webhook' | 'svix'): Scheme {
  const idHeader = `${prefix}-id`
  const signatureHeader = `${prefix}-signature`
  return {
    name,
    signatureHeader,
    idHeader,
    eventHeader: undefined,
    encoding: 'base64',
    read(headers) {
      const id = onlyValue(headers, idHeader)
      // The signed text is id.timestamp.body: with a dot, the end of the id could be read as the timestamp.
      if (id.includes('.')) throw new Rejection('malformed_header', `${idHeader} contains a dot`)
      const timestamp = onlyValue(headers, `${prefix}-timestamp`)
      const signatures = onlyValue(headers, signatureHeader).split(' ').flatMap(readSignature)
      return { timestamp, prefix: `${id}.${timestamp}.`, signatures }
    },
    hmacKey(secret) {
      // Only base64: decoding skips other characters, and anyone can sign with the empty key that could remain.
      if (!/^(?:whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret)) return undefined
      const key = secretBytes(secret)
      return key.length === 0 ? undefined : key
    },
    sign: ({ id, timestamp, body }, keys) => [
      [idHeader, id],
      [`${prefix}-timestamp`, String(timestamp)],
      [signatureHeader, keys.map((key) => signWebhook(key, { id, timestamp, body })).join(' ')],
    ],
  }
}

/** `version,base64`; unknown versions are ignored. */
function readSignature(entry: string): readonly Signature[] {
  const comma = entry.indexOf(',')
  const algorithm = ALGORITHMS.get(entry.slice(0, Math.max(0, comma)))
  return algorithm ? [{ algorithm, text: entry.slice(comma + 1) }] : []
}

/** The value of a header that must occur once: with two, sender and receiver could read different ones. */
function onlyValue(headers: HeaderValues, name: string): string {
  const values = headers[name] ?? []
  if (values.length > 1) throw new Rejection('malformed_header', `${name} was sent ${values.length} times`)
  const [value = ''] = values
  if (value === '') throw new Rejection('malformed_header', `${name} is missing or empty`)
  return value
}
