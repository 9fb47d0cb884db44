import { Blocks } from './blocks.ts'
import { GrowingNumbers } from './growing-numbers.ts'
import { type Name, similarity } from './similarity.ts'
import { type Word, Words } from './words.ts'

/** Two of the names, by their numbers: `one` is the smaller. */
export interface SimilarPair {
  readonly one: number
  readonly other: number
  readonly score: number
}

/** The names of a larger block are compared with so many neighbours in alphabetical order, not with all. */
const MOST_IN_BLOCK = 1000
const NEIGHBOURS = 100

/**
 * Names that may be compared: those with a word of the same consonants, and another word that begins or ends alike. Each name is compared
 * with those of its blocks only, because all pairs of 100,000 names are five billion.
 */
export class SimilarNames {
  readonly #words = new Words()
  /** The words of all names by their numbers, and where each name begins. */
  readonly #nameWords = new GrowingNumbers()
  readonly #starts = new GrowingNumbers()
  readonly #blocks = new Blocks()
  /** Blocks in which an initial is compared with names, and names with initials alone. */
  readonly #initials = new Blocks()

  /** The number of the name. `group`: names of different groups are never compared. */
  add(name: string, group: string): number {
    const words = this.#words.inName(name)
    const number = this.#starts.push(this.#nameWords.length)
    for (const word of words) this.#nameWords.push(word.number)
    const [only] = words
    if (only && words.length === 1) this.#blocks.put([group, only.consonants], number)
    for (const [at, word] of words.entries()) {
      for (const [place, other] of words.entries()) {
        if (place !== at) this.#put(group, [word, other], number)
      }
    }
    return number
  }

  #put(group: string, [word, other]: readonly [Word, Word], number: number): void {
    this.#initials.put([group, word.consonants, other.text.slice(0, 1)], number)
    if (other.text.length === 1) return
    this.#blocks.put([group, word.consonants, 'start', other.consonants.slice(0, 2)], number)
    this.#blocks.put([group, word.consonants, 'end', other.consonants.slice(-2)], number)
  }

  /** The pairs that are at least so similar, the most similar first. */
  pairs(threshold: number): readonly SimilarPair[] {
    const found = new Map<number, SimilarPair>()
    const compare = (first: number, second: number) => {
      const [one, other] = first < second ? [first, second] : [second, first]
      const place = one * this.#starts.length + other
      if (found.has(place)) return
      const score = similarity(this.#name(one), this.#name(other), threshold)
      if (score >= threshold) found.set(place, { one, other, score })
    }
    for (const block of this.#blocks.shared()) this.#compareAll(block, compare)
    for (const block of this.#initials.shared()) {
      for (const one of block.filter((name) => this.#hasInitial(name))) {
        for (const other of block.slice(0, MOST_IN_BLOCK)) if (one !== other) compare(one, other)
      }
    }
    return [...found.values()].sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other)
  }

  #name(number: number): Name {
    const words: Word[] = []
    const end = number + 1 < this.#starts.length ? this.#starts.at(number + 1) : this.#nameWords.length
    for (let at = this.#starts.at(number); at < end; at++) words.push(this.#words.of(this.#nameWords.at(at)))
    return words
  }

  #hasInitial(name: number): boolean {
    return this.#name(name).some(({ text }) => text.length === 1)
  }

  #compareAll(block: readonly number[], compare: (one: number, other: number) => void): void {
    const isLarge = block.length > MOST_IN_BLOCK
    const order = isLarge ? block.toSorted((a, b) => (this.#text(a) < this.#text(b) ? -1 : 1)) : block
    for (const [at, one] of order.entries()) {
      const last = isLarge ? Math.min(order.length, at + NEIGHBOURS) : order.length
      for (let next = at + 1; next < last; next++) compare(one, order[next] ?? one)
    }
  }

  #text(name: number): string {
    return this.#name(name)
      .map(({ text }) => text)
      .join(' ')
  }
}
