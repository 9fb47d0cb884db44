import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { canonicalJson, type JsonValue } from '../../core/json.ts'
import type { KeyIndex } from './scratch.ts'

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

const FIRST_SLOTS = 1 << 16
/** 16 MB, and room for 1.4 million rows. */
const MOST_SLOTS = 1 << 21
const FULL = 0.7
const CHARS_OF_64_BITS = 11

/**
 * Counts the earlier occurrences of each digest. Memory holds 64 bits of each digest; if two are equal, a row counts as a
 * repetition, which is harmless because it always does. The index on disk holds the counts of repeated digests, and the
 * digests that do not fit in memory.
 */
export class DigestCounter {
  readonly #index: KeyIndex
  #slots = new BigUint64Array(FIRST_SLOTS)
  #used = 0
  #isClosed = false

  /** `index` is empty, and `close` closes it too. */
  constructor(index: KeyIndex) {
    this.#index = index
  }

  /** The number of earlier occurrences; counts this one. */
  next(digest: string): number {
    const bits = bitsOf(digest)
    if (this.#slots[find(this.#slots, bits)] === bits) return this.#index.count(digest) + 1
    if (this.#used >= this.#slots.length * FULL && !this.#grow()) return this.#index.count(digest)
    this.#slots[find(this.#slots, bits)] = bits
    this.#used += 1
    return 0
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isClosed) this.#index.close()
    this.#isClosed = true
  }

  #grow(): boolean {
    const slots = this.#slots
    if (slots.length >= MOST_SLOTS) return false
    this.#slots = new BigUint64Array(slots.length * 2)
    for (const bits of slots) if (bits !== 0n) this.#slots[find(this.#slots, bits)] = bits
    return true
  }
}

/** The slot with the bits, or the free slot for them. */
function find(slots: BigUint64Array, bits: bigint): number {
  const mask = slots.length - 1
  let at = Number(bits & BigInt(mask))
  while (slots[at] !== 0n && slots[at] !== bits) at = (at + 1) & mask
  return at
}

/** Never 0, which is an empty slot. */
function bitsOf(digest: string): bigint {
  return Buffer.from(digest.slice(0, CHARS_OF_64_BITS), 'base64url').readBigUInt64LE() || 1n
}
