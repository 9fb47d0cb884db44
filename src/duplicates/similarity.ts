import { jaroWinkler } from '@skyra/jaro-winkler'
import type { Word } from './words.ts'

/** An initial says little of its word, and a transliteration may be another word. */
const OF_INITIAL = 0.92
const OF_SPELLING = 0.98
/** Of Mario and Maria, Paul and Paula: two people, however few letters differ. */
const OF_OTHER_ENDING = 0.8
/** For each word that only one of the names has. */
const PER_EXTRA_WORD = 0.95

/** What a name is compared by. */
export type Name = readonly Word[]

/**
 * How alike two names are, from 0 to 1: the product of the similarities of their words, in the best order, with 0.95 for each word that
 * only one has. Two words are compared by Jaro-Winkler. Below `least`, the result may be 0 instead.
 */
export function similarity(one: Name, other: Name, least: number): number {
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
