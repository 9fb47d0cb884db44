import { hash } from 'node:crypto'
import { exactDigits, type JsonValue } from '../../core/json.ts'

/** 132 bits: two of a billion records are alike with a chance of 1 in 10^22. */
const DIGEST_CHARS = 22
const KEY_CHARS = 32

/**
 * Of what is sent; `body` is canonical already, and empty where there is none. A change of a record that was changed back
 * meanwhile is another one: `before` is the digest of the record that it starts from.
 */
export function requestDigest(method: string, path: string, body: string, before?: string): string {
  const text = `${method}\0${path}\0${body}${before === undefined ? '' : `\0${before}`}`
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARS)
}

/** Of what a record holds, whatever the order of its members. */
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

/** The idempotency key of an operation: of what a row says, not of where it stands, so that it outlives other rows. */
export function idempotencyKey({ account, run, digest, n, gen }: KeyParts): string {
  return hash('sha256', `crm/1\0${account}\0${run}\0${digest}\0${n}\0${gen}`, 'base64url').slice(0, KEY_CHARS)
}

/**
 * The one text of a value (RFC 8785): members in the order of their UTF-16 code units, no blanks, numbers as ECMAScript
 * writes them. Numbers that no double holds, of which the RFC knows none, keep their digits.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members: string[] = []
  for (const name of Object.keys(value).sort()) {
    members.push(`${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`)
  }
  return `{${members.join(',')}}`
}
