import { jaroWinkler } from '@skyra/jaro-winkler'
import { CrmError } from '../core/errors.ts'
import { GrowingNumbers } from './growing-numbers.ts'
import { hashOf, joinedHash } from './texts.ts'
import { type Word, Words } from './words.ts'

/** A block and a name share one number of 53 bits. */
const MOST_NAMES = 2 ** 22

/** Names by the blocks that they are in, as one sorted array of numbers: a map of texts would take more memory than all names. */
class Blocks {
  readonly #entries = new GrowingNumbers()

  /** `block`: hashes of what its names share. CrmError `not_supported` for the name after the 4,194,304th. */
  put(block: readonly number[], name: number): void {
    if (name >= MOST_NAMES) {
      throw new CrmError('not_supported', `more than ${MOST_NAMES} different names are too many for ~`, {
        hint: 'choose some of the records with --where, or compare them without ~',
      })
    }
    this.#entries.push(joinedHash(block) * MOST_NAMES + name)
  }

  /** The names of each block that has several; no block is left. Two blocks of one hash come as one, which costs comparisons and finds no less. */
  *takeShared(): Generator<readonly number[]> {
    let names: number[] = []
    let block = -1
    for (const entry of this.#entries.takeSorted()) {
      const own = Math.floor(entry / MOST_NAMES)
      if (own !== block) {
        if (names.length > 1) yield names
        names = []
        block = own
      }
      const name = entry - own * MOST_NAMES
      if (name !== names.at(-1)) names.push(name)
    }
    if (names.length > 1) yield names
  }
}

/** Two of the names, by their numbers: `one` is the smaller. */
export interface SimilarPair {
  readonly one: number
  readonly other: number
  readonly score: number
}

/** The names of a larger block are compared with so many neighbours in alphabetical order, not with all. */
const MOST_IN_BLOCK = 1000
const NEIGHBOURS = 100

/** The ends of a word by which blocks differ. */
const [START, END] = [1, 2]

/**
 * Names that may be compared: those with a word of the same consonants, and another word that begins or ends alike. Each name is compared
 * with those of its blocks only, because all pairs of 100,000 names are five billion.
 */
export class SimilarNames {
  readonly #words = new Words()
  /** The words of all names by their numbers, and where each name begins. */
  readonly #nameWords = new GrowingNumbers(Uint32Array)
  readonly #starts = new GrowingNumbers(Uint32Array)
  readonly #blocks = new Blocks()
  /** Blocks in which an initial is compared with names, and names with initials alone. */
  readonly #initials = new Blocks()

  /** The number of the name. `group`: names of different groups are never compared. */
  add(name: string, group: string): number {
    const words = this.#words.inName(name)
    const number = this.#starts.push(this.#nameWords.length)
    for (const word of words) this.#nameWords.push(word.number)
    const [only] = words
    const groupHash = hashOf([group])
    if (only && words.length === 1) this.#blocks.put([groupHash, only.consonants], number)
    for (const [at, { consonants }] of words.entries()) {
      const first = joinedHash([groupHash, consonants])
      for (const [place, other] of words.entries()) if (place !== at) this.#put(first, other, number)
    }
    return number
  }

  /** `first`: of the consonants of one word; `other`: another word of the name. */
  #put(first: number, other: Word, number: number): void {
    this.#initials.put([first, other.initial], number)
    if (other.text.length === 1) return
    this.#blocks.put([first, START, other.start], number)
    this.#blocks.put([first, END, other.end], number)
  }

  /** The pairs that are at least so similar, the most similar first. */
  pairs(threshold: number): readonly SimilarPair[] {
    const found = new Map<number, SimilarPair>()
    const compare = (first: Numbered, second: Numbered) => {
      const score = similarity(first.words, second.words, threshold)
      if (score < threshold) return
      const [one, other] = [Math.min(first.number, second.number), Math.max(first.number, second.number)]
      found.set(one * this.#starts.length + other, { one, other, score })
    }
    for (const block of this.#blocks.takeShared()) compareAll(this.#named(block), compare)
    for (const block of this.#initials.takeShared()) {
      const names = this.#named(block)
      for (const one of names.filter(({ words }) => words.some(({ text }) => text.length === 1))) {
        for (const other of names.slice(0, MOST_IN_BLOCK)) if (one !== other) compare(one, other)
      }
    }
    return [...found.values()].sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other)
  }

  #named(block: readonly number[]): readonly Numbered[] {
    return block.map((number) => ({ number, words: this.#name(number) }))
  }

  #name(number: number): Name {
    const words: Word[] = []
    const end = number + 1 < this.#starts.length ? this.#starts.at(number + 1) : this.#nameWords.length
    for (let at = this.#starts.at(number); at < end; at++) words.push(this.#words.of(this.#nameWords.at(at)))
    return words
  }
}

interface Numbered {
  readonly number: number
  readonly words: Name
}

function compareAll(block: readonly Numbered[], compare: (one: Numbered, other: Numbered) => void): void {
  const isLarge = block.length > MOST_IN_BLOCK
  const order = isLarge ? inAlphabet(block) : block
  for (let at = 0; at < order.length; at++) {
    const last = isLarge ? Math.min(order.length, at + NEIGHBOURS) : order.length
    const one = order[at]
    for (let next = at + 1; next < last; next++) {
      const other = order[next]
      if (one && other) compare(one, other)
    }
  }
}

function inAlphabet(block: readonly Numbered[]): readonly Numbered[] {
  const texts = new Map(block.map((name) => [name, name.words.map(({ text }) => text).join(' ')]))
  return block.toSorted((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
}

/** An initial says little of its word, and a transliteration may be another word. */
const OF_INITIAL = 0.92
const OF_SPELLING = 0.98
/** Of Mario and Maria, Paul and Paula: two people, however few letters differ. */
const OF_OTHER_ENDING = 0.8
/** For each word that only one of the names has. */
const PER_EXTRA_WORD = 0.95

/** What a name is compared by. */
type Name = readonly Word[]

/**
 * How alike two names are, from 0 to 1: the product of the similarities of their words, in the best order, with 0.95 for each word that
 * only one has. Two words are compared by Jaro-Winkler. Below `least`, the result may be 0 instead.
 */
function similarity(one: Name, other: Name, least: number): number {
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one]
  const extra = more.length - fewer.length
  if (fewer.length === 0 || (extra > 0 && fewer.length < 2)) return 0
  const share = PER_EXTRA_WORD ** extra
  return best(fewer, more, 0, least / share) * share
}

/** `used`: a bit for each word of the name with more words that is taken, in the order of the other name. */
function best(fewer: Name, more: Name, used: number, least: number): number {
  const word = fewer[bits(used)]
  if (!word) return 1
  let most = 0
  for (let place = 0; place < more.length; place++) {
    const other = more[place]
    if (!other || used & (1 << place)) continue
    const own = wordSimilarity(word, other, least)
    if (own < least || own <= most) continue
    most = Math.max(most, own * best(fewer, more, used | (1 << place), least / own))
  }
  return most
}

function wordSimilarity(one: Word, other: Word, least: number): number {
  if (one === other) return 1
  const [first, second] = [one.text, other.text]
  if (first.length === 1 || second.length === 1) return first[0] === second[0] ? OF_INITIAL : 0
  if (one.spelling === other.spelling) return OF_SPELLING
  if (mostOf(one, other) < least) return 0
  if (hasOtherEnding(one.spelling, other.spelling)) return OF_OTHER_ENDING
  return Math.max(jaroWinkler(first, second), OF_SPELLING * jaroWinkler(one.spelling, other.spelling))
}

/** No more than this by Jaro-Winkler, in either spelling: most pairs of a block differ too much, and this is faster to see. */
function mostOf(one: Word, other: Word): number {
  return Math.max(
    bound(one.text, other.text, one.letters, other.letters),
    bound(one.spelling, other.spelling, one.speltLetters, other.speltLetters),
  )
}

/** As if all letters that both have were in place. */
function bound(one: string, other: string, ownLetters: number, otherLetters: number): number {
  const own = one.length - bits(ownLetters & ~otherLetters)
  const others = other.length - bits(otherLetters & ~ownLetters)
  const matches = Math.min(own, others)
  const jaro = (matches / one.length + matches / other.length + 1) / 3
  let prefix = 0
  while (prefix < 4 && prefix < one.length && one.charCodeAt(prefix) === other.charCodeAt(prefix)) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

function bits(number: number): number {
  let count = 0
  for (let rest = number; rest !== 0; rest &= rest - 1) count++
  return count
}

const VOWEL = /[aeiou]$/

/** Whether only a last vowel differs, or one has it and the other does not. */
function hasOtherEnding(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length === short.length + 1) return long.startsWith(short) && VOWEL.test(long)
  return long.length === short.length && one.slice(0, -1) === other.slice(0, -1) && VOWEL.test(one) && VOWEL.test(other)
}
