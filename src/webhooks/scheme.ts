import type { SchemeName } from '../core/webhook-events.ts'
import type { HeaderValues } from './headers.ts'

export interface Signature {
  readonly algorithm: 'hmac-sha256' | 'ed25519'
  /** In the encoding of the scheme. */
  readonly text: string
}

/** What the headers of a delivery claim about its signature; not verified yet. */
export interface Claim {
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

/** A signature scheme. A new scheme is a file and a line in schemes.ts. */
export interface Scheme {
  readonly name: SchemeName
  /** Its presence identifies the scheme. The prefix of the secret does not: Stripe uses `whsec_` too. */
  readonly signatureHeader: string
  readonly idHeader: string | undefined
  /** The header of the event's name, if the scheme has one. */
  readonly eventHeader: string | undefined
  readonly encoding: 'base64' | 'hex'
  /** Throws a Rejection `malformed_header`. */
  read(headers: HeaderValues): Claim
  /** The HMAC key of a secret; undefined when the secret is not valid for this scheme. */
  hmacKey(secret: string): Buffer | undefined
  /** The headers of the scheme, with a signature by each key. */
  sign(unsigned: Unsigned, keys: readonly Buffer[]): readonly (readonly [name: string, value: string])[]
}
