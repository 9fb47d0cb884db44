import { Buffer } from 'node:buffer'
import type { KeyIndex } from './scratch.ts'

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
