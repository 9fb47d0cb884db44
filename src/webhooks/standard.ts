import { secretBytes, signWebhook } from '../core/signing.ts'
import type { SchemeName } from '../core/webhook-events.ts'
import { onlyValue } from './headers.ts'
import { Rejection } from './rejection.ts'
import type { Scheme, Signature } from './scheme.ts'

const ALGORITHMS: ReadonlyMap<string, Signature['algorithm']> = new Map([
  ['v1', 'hmac-sha256'],
  ['v1a', 'ed25519'],
])

/** Standard Webhooks 1.0, and Svix, its origin, with other header names. */
export function standardScheme(name: SchemeName, prefix: 'webhook' | 'svix'): Scheme {
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
