import { hash } from 'node:crypto'
import { canonicalJson, type JsonValue } from '../../core/json.ts'

/** 132 bits: the chance that two of a billion records collide is 1 in 10^22. */
const DIGEST_CHARS = 22
const KEY_CHARS = 32

/**
 * The digest of a request; `body` is canonical, and empty if there is none. `before` is the digest of the record before a
 * change, so that the same change of another version is another request.
 */
export function requestDigest(method: string, path: string, body: string, before?: string): string {
  const text = `${method}\0${path}\0${body}${before === undefined ? '' : `\0${before}`}`
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARS)
}

/** The digest of a record, whatever the order of its members. */
export function recordDigest(record: JsonValue): string {
  return hash('sha256', canonicalJson(record), 'base64url').slice(0, DIGEST_CHARS)
}

export interface KeyParts {
  readonly account: string
  readonly run: string
  readonly digest: string
  /** How many operations before it have the same digest. */
  readonly n: number
  readonly gen: number
}

/** The idempotency key of an operation. It depends on the contents of a row, not on its position. */
export function idempotencyKey({ account, run, digest, n, gen }: KeyParts): string {
  return hash('sha256', `crm/1\0${account}\0${run}\0${digest}\0${n}\0${gen}`, 'base64url').slice(0, KEY_CHARS)
}
