import {
  createHmac,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
  verify as verifySignature,
} from 'node:crypto'
import { Rejection } from './rejection.ts'
import { findScheme, type HeaderValues, type Scheme, type Signature, type SignatureClaim } from './schemes.ts'

/** As in the libraries of Standard Webhooks and of Stripe: past and future, inclusive. */
const TOLERANCE_SECONDS = 300
/** Each may cost a pass over the body. Svix, which keeps the most old keys, sends up to eleven. */
const MAX_SIGNATURES = 16
const PUBLIC_KEY_BYTES = 32

export interface SignedMessage {
  readonly headers: HeaderValues
  /** The received bytes: decoding and encoding again may change the signed text. */
  readonly body: Buffer
}

/** A secret and its derived keys: deriving one costs more than the signature of a small body. */
export interface Secret {
  readonly text: string
  readonly publicKey: KeyObject | undefined
  readonly hmacKeys: Map<Scheme, KeyObject | undefined>
}

export function prepareSecrets(texts: readonly string[]): readonly Secret[] {
  return texts.map((text) => ({ text, publicKey: publicKeyOf(text), hmacKeys: new Map() }))
}

/**
 * Returns the scheme of a genuine delivery: signed with one of the secrets, at most 300 s ago or ahead. Throws a
 * Rejection. The signature is checked first, so that only genuine deliveries are reported as `stale`.
 */
export function verify({ headers, body }: SignedMessage, secrets: readonly Secret[], nowMs: number): Scheme {
  const scheme = findScheme(headers) ?? rejectUnknownScheme(headers)
  const claim = scheme.read(headers)
  const { timestamp, signatures } = claim
  if (timestamp !== undefined && !/^\d{1,12}$/.test(timestamp)) {
    throw new Rejection('malformed_header', 'the timestamp is not a whole number of seconds')
  }
  if (signatures.length === 0) {
    throw new Rejection('unknown_scheme', `${scheme.signatureHeader} has no signature of a known version`)
  }
  if (signatures.length > MAX_SIGNATURES) {
    throw new Rejection('malformed_header', `${signatures.length} signatures, expected at most ${MAX_SIGNATURES}`)
  }
  if (!isSigned(scheme, claim, body, secrets)) throw mismatch(signatures, secrets)
  if (timestamp !== undefined) rejectOldOrFuture(Number(timestamp), Math.floor(nowMs / 1000))
  return scheme
}

/** The public key in a `whpk_` secret; undefined for any other secret. */
export function publicKeyOf(secret: string): KeyObject | undefined {
  if (!secret.startsWith('whpk_')) return undefined
  const bytes = Buffer.from(secret.slice('whpk_'.length), 'base64')
  if (bytes.length !== PUBLIC_KEY_BYTES) return undefined
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
}

function isSigned(scheme: Scheme, claim: SignatureClaim, body: Buffer, secrets: readonly Secret[]): boolean {
  const textsOf = (algorithm: Signature['algorithm']): string[] =>
    claim.signatures.filter((signature) => signature.algorithm === algorithm).map(({ text }) => text)
  const macs = textsOf('hmac-sha256')
  const others = textsOf('ed25519')
  return secrets.some((secret) => {
    const { publicKey } = secret
    if (publicKey) {
      const signed = Buffer.concat([Buffer.from(claim.prefix, 'latin1'), body])
      return others.some((text) => verifySignature(null, signed, publicKey, Buffer.from(text, 'base64')))
    }
    const key = hmacKeyOf(secret, scheme)
    if (!key || macs.length === 0) return false
    // Node decodes header values as latin1: this restores the bytes sent.
    const expected = createHmac('sha256', key).update(claim.prefix, 'latin1').update(body).digest(scheme.encoding)
    return macs.some((text) => isEqual(text, expected))
  })
}

function hmacKeyOf({ text, hmacKeys }: Secret, scheme: Scheme): KeyObject | undefined {
  if (!hmacKeys.has(scheme)) {
    const bytes = scheme.hmacKey(text)
    hmacKeys.set(scheme, bytes && createSecretKey(bytes))
  }
  return hmacKeys.get(scheme)
}

function isEqual(text: string, expected: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(expected)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function rejectOldOrFuture(sentSeconds: number, nowSeconds: number): void {
  const ageSeconds = nowSeconds - sentSeconds
  if (ageSeconds > TOLERANCE_SECONDS) {
    throw new Rejection('stale', `signed ${ageSeconds} s ago, expected ${TOLERANCE_SECONDS} s at most`)
  }
  if (-ageSeconds > TOLERANCE_SECONDS) {
    throw new Rejection('future', `signed ${-ageSeconds} s ahead of this machine's clock`)
  }
}

function mismatch(signatures: readonly Signature[], secrets: readonly Secret[]): Rejection {
  const isAsymmetric = signatures.every(({ algorithm }) => algorithm === 'ed25519')
  if (isAsymmetric && !secrets.some(({ publicKey }) => publicKey)) {
    return new Rejection('signature_mismatch', 'signed with v1a (ed25519), and no public key (whpk_…) is known')
  }
  return new Rejection('signature_mismatch', 'signed with another secret, or the body was changed in transit')
}

function rejectUnknownScheme(headers: HeaderValues): never {
  // Signature headers of other senders: X-Shopify-Hmac-Sha256, close-sig-hash, X-HubSpot-Signature-v3.
  const name = Object.keys(headers).find((header) => /signature|hmac|(?:^|-)sig(?:-|$)/.test(header))
  if (name !== undefined) throw new Rejection('unknown_scheme', `signed in ${name}, an unknown scheme`)
  throw new Rejection('no_signature', 'no header contains a signature')
}
