import { Buffer } from 'node:buffer'
import { GrowingNumbers } from './growing-numbers.ts'

/** Texts by number, as bytes outside of V8's heap. */
export class Texts {
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  #end = 0
  readonly #starts = new GrowingNumbers(Uint32Array)

  add(text: string): number {
    const size = Buffer.byteLength(text)
    if (this.#end + size > this.#bytes.length) {
      const longer = Buffer.allocUnsafeSlow(2 * (this.#bytes.length + size))
      this.#bytes.copy(longer, 0, 0, this.#end)
      this.#bytes = longer
    }
    const number = this.#starts.push(this.#end)
    this.#end += this.#bytes.write(text, this.#end)
    return number
  }

  of(number: number): string {
    const end = number + 1 < this.#starts.length ? this.#starts.at(number + 1) : this.#end
    return this.#bytes.toString('utf8', this.#starts.at(number), end)
  }

  get count(): number {
    return this.#starts.length
  }
}

const FULL = 0.6

/** Distinct texts, each with the number under which it came first. */
export class TextIndex {
  readonly #texts = new Texts()
  readonly #hashes = new GrowingNumbers(Uint32Array)
  /** The number of a text plus one, in the first free slot from its hash on; 0 is free. */
  #slots = new Uint32Array(1 << 10)

  /** `isNew`: it had not been added before. */
  add(text: string): { readonly number: number; readonly isNew: boolean } {
    const hash = hashOf([text])
    for (let slot = hash & (this.#slots.length - 1); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const held = this.#slots[slot] ?? 0
      if (held === 0) return { number: this.#put(slot, hash, text), isNew: true }
      if (this.#hashes.at(held - 1) === hash && this.#texts.of(held - 1) === text)
        return { number: held - 1, isNew: false }
    }
  }

  of(number: number): string {
    return this.#texts.of(number)
  }

  #put(slot: number, hash: number, text: string): number {
    const number = this.#texts.add(text)
    this.#hashes.push(hash)
    this.#slots[slot] = number + 1
    if (this.#texts.count > this.#slots.length * FULL) this.#grow()
    return number
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length)
    for (let number = 0; number < this.#texts.count; number++) {
      let slot = this.#hashes.at(number) & (this.#slots.length - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1)
      this.#slots[slot] = number + 1
    }
  }
}

/** Of several hashes in their order, of 31 bits. */
export function joinedHash(hashes: readonly number[]): number {
  let hash = 0x811c9dc5
  for (const each of hashes) {
    hash = Math.imul(hash ^ each, 0x01000193)
    hash = Math.imul(hash ^ (each >>> 16), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) & 0x7fffffff
}

/** FNV-1a over the texts, each with an end, of 31 bits. */
export function hashOf(texts: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash & 0x7fffffff
}
