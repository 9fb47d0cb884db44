import { idText, type JsonObject, type JsonValue } from '../core/json.ts'
import { foldedLine } from '../core/nearest.ts'
import { listedId } from '../core/record-ids.ts'
import { recordTimeMs } from '../core/record-time.ts'
import { type CrmRecord, isReadOnly } from '../core/resources/registry.ts'
import { GrowingNumbers } from './growing-numbers.ts'
import type { Comparison, MatchKey } from './match-key.ts'
import { SimilarNames, type SimilarPair } from './similar-names.ts'
import { TextIndex, Texts } from './texts.ts'

const EMAIL_NAME = /e-?_?mail/i
const PHONE_NAME = /phone|mobile|^tel/i
const ADDRESS = /<\s*(?:mailto:)?([^\s<>]+@[^\s<>]+)\s*>|^\s*mailto:\s*([^\s<>?]+@[^\s<>?]+)/i

/** Country codes and leading zeros differ between two spellings of one number; its last nine digits do not. */
const PHONE_DIGITS = 9
const LEAST_DIGITS = 6
const EXTENSION = /(?:;ext=|\bext\.?|\bx)\s*(\d{1,6})\s*$/i

/** Names have numbers below this. */
const MOST_NAMES = 2 ** 26

/** Numbers that belong together (union-find with path halving). */
class Groups {
  readonly #parents = new GrowingNumbers(Uint32Array)

  /** The next number, alone in its group. */
  add(): number {
    return this.#parents.push(this.#parents.length)
  }

  get count(): number {
    return this.#parents.length
  }

  /** The least number of the group. */
  of(number: number): number {
    let at = number
    for (;;) {
      const parent = this.#parents.at(at)
      if (parent === at) return at
      const above = this.#parents.at(parent)
      this.#parents.set(at, above)
      at = above
    }
  }

  join(one: number, other: number): void {
    const [first, second] = [this.of(one), this.of(other)]
    this.#parents.set(Math.max(first, second), Math.min(first, second))
  }
}

export const WINNERS = ['fullest', 'newest', 'oldest'] as const

/** The record of a group that is kept: the one with the most members, the last changed, or the first created. */
export type WinnerRule = (typeof WINNERS)[number]

export interface DuplicateTerms {
  readonly keys: readonly MatchKey[]
  /** The least similarity of two names. */
  readonly threshold: number
  readonly winner: WinnerRule
}

/** Records that are probably of one person. */
export interface DuplicateGroup {
  /** The keys that connect them: `email,name~`. */
  readonly by: string
  /** The values of these keys, as compared. */
  readonly key: string
  /** The winner first, then in the order of the list. */
  readonly ids: readonly string[]
  readonly winner: string
  /** 1, or the least similarity of two names that connects them. */
  readonly score: number
}

/** Why two records are in one group. */
interface Link {
  readonly record: number
  readonly key: number
  readonly value: string
  readonly score: number
}

/** The values of one key, and the first record that has each. */
class KeyValues {
  readonly values = new TextIndex()
  readonly records = new GrowingNumbers(Uint32Array)
  /** Undefined for a key without `~`. */
  readonly names: SimilarNames | undefined
  /** The value of each name. */
  readonly named = new GrowingNumbers(Uint32Array)

  constructor({ parts }: MatchKey) {
    this.names = parts.some(({ comparison }) => comparison === 'similar') ? new SimilarNames() : undefined
  }
}

/** Takes records one by one, and keeps only their ids and what they are compared by. */
export class DuplicateFinder {
  readonly #terms: DuplicateTerms
  readonly #groups = new Groups()
  readonly #ids = new Texts()
  readonly #ranks = new GrowingNumbers()
  readonly #keys: readonly KeyValues[]
  readonly #links: Link[] = []

  constructor(terms: DuplicateTerms) {
    this.#terms = terms
    this.#keys = terms.keys.map((key) => new KeyValues(key))
  }

  add(record: CrmRecord): void {
    const number = this.#groups.add()
    this.#ids.add(listedId(record))
    this.#ranks.push(rankOf(record, this.#terms.winner))
    for (const at of this.#keys.keys()) this.#compare(number, record, at)
  }

  #compare(record: number, members: CrmRecord, key: number): void {
    const [{ parts } = { parts: [] }, held] = [this.#terms.keys[key], this.#keys[key]]
    const compared = parts.map(({ member, comparison }) => comparedValue(member, memberAt(members, member), comparison))
    const texts = compared.filter((text) => text !== undefined)
    if (!held || texts.length < parts.length) return
    const { number, isNew } = held.values.add(texts.join(', '))
    if (!isNew) {
      this.#join(held.records.at(number), record, { key, value: texts.join(', '), score: 1 })
      return
    }
    held.records.push(record)
    const similar = parts.findIndex(({ comparison }) => comparison === 'similar')
    if (!held.names) return
    held.names.add(texts[similar] ?? '', texts.toSpliced(similar, 1).join('\0'))
    held.named.push(number)
  }

  #join(one: number, other: number, why: Omit<Link, 'record'>): void {
    this.#groups.join(one, other)
    this.#links.push({ record: one, ...why })
  }

  /** The groups, in the order of their first records. */
  *found(): Generator<DuplicateGroup> {
    for (const at of this.#keys.keys()) this.#joinSimilar(at)
    const links = Map.groupBy(this.#links, ({ record }) => this.#groups.of(record))
    const members = new Map([...links.keys()].map((root) => [root, [] as number[]]))
    for (let number = 0; number < this.#groups.count; number++) members.get(this.#groups.of(number))?.push(number)
    for (const root of [...links.keys()].sort((a, b) => a - b)) {
      yield this.#group(members.get(root) ?? [], links.get(root) ?? [])
    }
  }

  #joinSimilar(key: number): void {
    const held = this.#keys[key]
    if (!held?.names) return
    for (const { one, other, score } of clusters(held.names.pairs(this.#terms.threshold))) {
      const [first, second] = [held.named.at(one), held.named.at(other)]
      const value = `${held.values.of(first)} ~ ${held.values.of(second)}`
      this.#join(held.records.at(first), held.records.at(second), { key, value, score })
    }
  }

  #group(members: readonly number[], links: readonly Link[]): DuplicateGroup {
    const order = members.toSorted((a, b) => compare(this.#ranks.at(b), this.#ranks.at(a)) || a - b)
    const ids = order.map((number) => this.#ids.of(number))
    const used = [...new Set(links.map(({ key }) => key))].sort((a, b) => a - b)
    const values = new Set(links.toSorted((a, b) => a.key - b.key).map(({ value }) => value))
    return {
      by: used.map((key) => this.#terms.keys[key]?.text).join(','),
      key: [...values].join('; '),
      ids,
      winner: ids[0] ?? '',
      score: Math.round(1000 * Math.min(...links.map(({ score }) => score))) / 1000,
    }
  }
}

/** For sorting; unlike a difference it is no NaN for two infinite ranks. */
function compare(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function memberAt(record: CrmRecord, member: string) {
  return Object.hasOwn(record, member) ? record[member] : undefined
}

/** Larger is better. */
function rankOf(record: JsonObject, winner: WinnerRule): number {
  if (winner === 'fullest') return filledMembers(record)
  const time = winner === 'newest' ? (record.updated_at ?? record.created_at) : record.created_at
  const timeMs = typeof time === 'number' ? time : recordTimeMs(time)
  if (Number.isNaN(timeMs)) return Number.NEGATIVE_INFINITY
  return winner === 'newest' ? timeMs : -timeMs
}

function filledMembers(record: JsonObject): number {
  let count = 0
  for (const name of Object.keys(record)) {
    if (!isReadOnly(name) && record[name] !== null && record[name] !== '') count++
  }
  return count
}

/**
 * The pairs that join names, from pairs in order of similarity. A name joins others only if it is similar to each of them: else a chain
 * of small differences would connect two names that are not alike.
 */
export function clusters(pairs: readonly SimilarPair[]): readonly SimilarPair[] {
  const alike = new Set(pairs.map(placeOf))
  const members = new Map<number, readonly number[]>()
  const joined: SimilarPair[] = []
  for (const pair of pairs) {
    const first = members.get(pair.one) ?? [pair.one]
    const second = members.get(pair.other) ?? [pair.other]
    if (first === second) continue
    if (!first.every((one) => second.every((other) => alike.has(placeOf(ordered(one, other)))))) continue
    const both = [...first, ...second]
    for (const name of both) members.set(name, both)
    joined.push(pair)
  }
  return joined
}

function placeOf({ one, other }: Pick<SimilarPair, 'one' | 'other'>): number {
  return one * MOST_NAMES + other
}

function ordered(one: number, other: number): Pick<SimilarPair, 'one' | 'other'> {
  return one < other ? { one, other } : { one: other, other: one }
}

/** The form in which a value is compared; undefined for one that is never a duplicate: absent, empty, or no plain value. */
function comparedValue(member: string, value: JsonValue | undefined, comparison: Comparison): string | undefined {
  const text = typeof value === 'boolean' ? String(value) : idText(value)
  if (text === undefined || text.trim() === '') return undefined
  if (comparison === 'exact') return text
  if (comparison === 'normalised' && PHONE_NAME.test(member)) return phoneDigits(text)
  if (comparison === 'normalised' && EMAIL_NAME.test(member)) return foldedLine(addressIn(text))
  return foldedLine(text)
}

/** `"Ada" <ada@x.org>` and `mailto:ada@x.org` are their addresses. */
function addressIn(text: string): string {
  const [, inBrackets, linked] = ADDRESS.exec(text) ?? []
  return inBrackets ?? linked ?? text
}

/** An extension belongs to the number: colleagues share the digits before it. */
function phoneDigits(text: string): string | undefined {
  const extension = EXTENSION.exec(text)
  const digits = (extension ? text.slice(0, extension.index) : text).replace(/\D/g, '')
  if (digits.length < LEAST_DIGITS) return undefined
  return digits.slice(-PHONE_DIGITS) + (extension ? `x${extension[1]}` : '')
}
