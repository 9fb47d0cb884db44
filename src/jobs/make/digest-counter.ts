import { Buffer } from 'node:buffer'
import type { KeyIndex } from '../rows/key-index.ts'

const FIRST_SLOTS = 1 << 16
/** 12 bytes each: 48 MB, and room for 2.9 million rows. */
const MOST_SLOTS = 1 << 22
const FULL = 0.7
const CHARS_OF_64_BITS = 11

/**
 * How often each digest came before. 64 bits of it are kept: should two ever be alike, a row counts as a second one of its
 * kind, which does no harm as long as it does so again. What does not fit goes to `overflow`.
 */
export class DigestCounter {
  readonly #overflow: KeyIndex
  #slots = new BigUint64Array(FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #used = 0
  #isClosed = false

  /** `overflow` is empty, and closed with this. */
  constructor(overflow: KeyIndex) {
    this.#overflow = overflow
  }

  /** Counts this one too. */
  next(digest: string): number {
    const bits = bitsOf(digest)
    const at = find(this.#slots, bits)
    if (this.#slots[at] === bits) {
      const count = this.#counts[at] ?? 0
      this.#counts[at] = count + 1
      return count
    }
    if (this.#used >= this.#slots.length * FULL && !this.#grow()) return this.#overflow.count(digest)
    this.#put(find(this.#slots, bits), bits, 1)
    return 0
  }

  /** As often as one likes. */
  close(): void {
    if (!this.#isClosed) this.#overflow.close()
    this.#isClosed = true
  }

  #put(at: number, bits: bigint, count: number): void {
    this.#slots[at] = bits
    this.#counts[at] = count
    this.#used += 1
  }

  #grow(): boolean {
    const [slots, counts] = [this.#slots, this.#counts]
    if (slots.length >= MOST_SLOTS) return false
    this.#slots = new BigUint64Array(slots.length * 2)
    this.#counts = new Uint32Array(slots.length * 2)
    this.#used = 0
    for (const [at, bits] of slots.entries()) if (bits !== 0n) this.#put(find(this.#slots, bits), bits, counts[at] ?? 0)
    return true
  }
}

/** Where the bits are, or where they would be put. */
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
