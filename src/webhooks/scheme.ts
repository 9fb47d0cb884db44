import type { SchemeName } from '../core/webhook-events.ts'
import type { HeaderValues } from './headers.ts'

export interface Signature {
  readonly algorithm: 'hmac-sha256' | 'ed25519'
  /** In the encoding of its scheme. */
  readonly text: string
}

/** What the headers of a delivery say about its signature; nothing of it is to be trusted yet. */
export interface Claim {
  /** Unix seconds as sent; undefined where the scheme has none, and an old delivery looks like a fresh one. */
  readonly timestamp: string | undefined
  /** What is signed in front of the body. */
  readonly prefix: string
  /** Of the versions that are known; any of them may match. */
  readonly signatures: readonly Signature[]
}

/** What is signed when this machine is the sender. */
export interface Unsigned {
  readonly id: string
  /** Of the event, for schemes that have it outside of the body. */
  readonly name: string | undefined
  /** Unix seconds. */
  readonly timestamp: number
  readonly body: Buffer
}

/** One way to sign. A further one is a file and a line in schemes.ts. */
export interface Scheme {
  readonly name: SchemeName
  /** Its presence says that this scheme is meant. The look of the secret does not: Stripe has `whsec_` too. */
  readonly signatureHeader: string
  readonly idHeader: string | undefined
  /** Where the name of the event stands outside of the body. */
  readonly eventHeader: string | undefined
  readonly encoding: 'base64' | 'hex'
  /** Throws a Rejection `malformed_header`. */
  read(headers: HeaderValues): Claim
  /** The HMAC key in a secret; undefined when the secret cannot be one of this scheme. */
  hmacKey(secret: string): Buffer | undefined
  /** The headers of the scheme, with a signature for each key. */
  sign(unsigned: Unsigned, keys: readonly Buffer[]): readonly (readonly [name: string, value: string])[]
}
