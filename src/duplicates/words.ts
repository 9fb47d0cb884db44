import anyAscii from 'any-ascii'
import { hashOf, TextIndex } from './texts.ts'

/** Titles, which one of two spellings often lacks. */
const TITLES = new Set(['mr', 'mrs', 'ms', 'dr', 'prof', 'herr', 'frau', 'mme', 'ing', 'dipl', 'jr', 'sr'])

/** More words than these are compared as one text. */
const MOST_WORDS = 4

/** A text without blanks, as words in Latin letters and lower case. */
function wordsIn(text: string): readonly string[] {
  return anyAscii(text)
    .toLowerCase()
    .replace(/['`’]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !TITLES.has(word))
}

/** Letters of one sound, as languages write them in Latin script; applied in this order. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/tsch|tch/g, 'c'],
  [/sch|sh/g, 's'],
  [/ch|kh|h(?=[aeiou])/g, 'h'],
  [/ph/g, 'f'],
  [/th/g, 't'],
  [/ck|q|c(?=[aou]|$)/g, 'k'],
  [/x/g, 'ks'],
  [/ae/g, 'a'],
  [/oe/g, 'o'],
  [/ue|ou/g, 'u'],
  [/[yj]/g, 'i'],
  [/w/g, 'v'],
  [/z/g, 's'],
  [/(.)\1+/g, '$1'],
]

/** The same text for transliterations of one word: `mueller` and `muller`, `sergey` and `sergei`. */
function spelling(word: string): string {
  return SPELLINGS.reduce((text, [from, to]) => text.replace(from, to), word)
}

/** Without vowels, in which spellings differ most; the first letter stays. */
function consonants(word: string): string {
  return word.slice(0, 1) + word.slice(1).replace(/[aeiou]/g, '')
}

export interface Word {
  readonly number: number
  readonly text: string
  readonly spelling: string
  /** Hashes of its consonants, of the first two and of the last two of them, and of its first letter. */
  readonly consonants: number
  readonly start: number
  readonly end: number
  readonly initial: number
  /** A bit for each letter that it has. */
  readonly letters: number
  readonly speltLetters: number
}

function lettersOf(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

const LATIN = /^[a-z0-9]+$/

/** The distinct words of all names: most names share theirs. */
export class Words {
  readonly #known = new TextIndex()
  readonly #all: Word[] = []
  /** As names have them, between blanks: turning them into Latin letters takes longest. */
  readonly #read = new Map<string, readonly Word[]>()

  /** The words of a name in alphabetical order: families write them first or last. */
  inName(name: string): readonly Word[] {
    const words = name.split(' ').flatMap((text) => this.#wordsOf(text))
    words.sort((one, other) => (one.text < other.text ? -1 : 1))
    return words.length <= MOST_WORDS ? words : [this.#word(words.map(({ text }) => text).join(''))]
  }

  of(number: number): Word {
    const word = this.#all[number]
    if (!word) throw new Error(`there is no word ${number}`)
    return word
  }

  #wordsOf(text: string): readonly Word[] {
    const known = this.#read.get(text)
    if (known) return known
    // Most words are one already, and need no place of their own.
    if (LATIN.test(text) && !TITLES.has(text)) return [this.#word(text)]
    const words = wordsIn(text).map((word) => this.#word(word))
    this.#read.set(text, words)
    return words
  }

  #word(text: string): Word {
    const { number, isNew } = this.#known.add(text)
    if (!isNew) return this.of(number)
    const spelt = spelling(text)
    const shown = consonants(spelt)
    const word = {
      number,
      text,
      spelling: spelt,
      consonants: hashOf([shown]),
      start: hashOf([shown.slice(0, 2)]),
      end: hashOf([shown.slice(-2)]),
      initial: hashOf([text.slice(0, 1)]),
      letters: lettersOf(text),
      speltLetters: lettersOf(spelt),
    }
    this.#all.push(word)
    return word
  }
}
