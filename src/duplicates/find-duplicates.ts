import { setFlagsFromString } from 'node:v8'
import { idText, type JsonObject } from '../core/json.ts'
import { listedId } from '../core/record-ids.ts'
import { type CrmRecord, isReadOnly } from '../core/resources/registry.ts'
import { Groups } from './groups.ts'
import type { MatchKey } from './match-key.ts'
import { clusters } from './name-clusters.ts'
import { comparedValue } from './normal-value.ts'
import { SimilarNames } from './similar-names.ts'

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

interface NamesOfKey {
  readonly names: SimilarNames
  /** The first record of each name. */
  readonly records: number[]
  readonly shown: string[]
}

/**
 * V8 lets the young part of its heap grow to 100 MiB while many short texts are made; for 100,000 records this is the difference between
 * 290 and 180 MiB. The work takes no longer.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Takes records one by one, and keeps only their keys. */
export class Duplicates {
  readonly #terms: DuplicateTerms
  readonly #groups = new Groups()
  readonly #ids: string[] = []
  readonly #ranks: number[] = []
  /** For each key, the first record with a value. */
  readonly #first: readonly Map<string, number>[]
  readonly #names: readonly (NamesOfKey | undefined)[]
  readonly #links: Link[] = []

  constructor(terms: DuplicateTerms) {
    this.#terms = terms
    this.#first = terms.keys.map(() => new Map())
    this.#names = terms.keys.map(({ parts }) => {
      const isSimilar = parts.some(({ comparison }) => comparison === 'similar')
      return isSimilar ? { names: new SimilarNames(), records: [], shown: [] } : undefined
    })
  }

  get count(): number {
    return this.#ids.length
  }

  add(record: CrmRecord): void {
    const number = this.#groups.add()
    this.#ids.push(listedId(record))
    this.#ranks.push(rankOf(record, this.#terms.winner))
    for (const [at, key] of this.#terms.keys.entries()) this.#compare(number, record, at, key)
  }

  #compare(number: number, record: CrmRecord, at: number, { parts }: MatchKey): void {
    const values = parts.map(({ member, comparison }) => comparedValue(member, memberAt(record, member), comparison))
    if (values.some((value) => value === undefined)) return
    const value = values.join(', ')
    const first = this.#first[at]?.get(value)
    if (first !== undefined) {
      this.#join(first, number, { key: at, value, score: 1 })
      return
    }
    this.#first[at]?.set(value, number)
    const names = this.#names[at]
    if (!names) return
    const similar = parts.findIndex(({ comparison }) => comparison === 'similar')
    names.names.add(values[similar] ?? '', values.toSpliced(similar, 1).join('\0'))
    names.records.push(number)
    names.shown.push(value)
  }

  #join(one: number, other: number, why: Omit<Link, 'record'>): void {
    this.#groups.join(one, other)
    this.#links.push({ record: one, ...why })
  }

  /** The groups, in the order of their first records. */
  found(): readonly DuplicateGroup[] {
    for (const [at, names] of this.#names.entries()) {
      if (names) this.#joinSimilar(at, names)
    }
    const links = Map.groupBy(this.#links, ({ record }) => this.#groups.of(record))
    const grouped = this.#ids.keys().filter((number) => links.has(this.#groups.of(number)))
    const members = Map.groupBy(grouped, (number) => this.#groups.of(number))
    return [...links.keys()]
      .sort((a, b) => a - b)
      .map((root) => this.#group(members.get(root) ?? [], links.get(root) ?? []))
  }

  #joinSimilar(key: number, { names, records, shown }: NamesOfKey): void {
    for (const { one, other, score } of clusters(names.pairs(this.#terms.threshold))) {
      const [first = 0, second = 0] = [records[one], records[other]]
      this.#join(first, second, { key, value: `${shown[one]} ~ ${shown[other]}`, score })
    }
  }

  #group(members: readonly number[], links: readonly Link[]): DuplicateGroup {
    const order = members.toSorted((a, b) => (this.#ranks[b] ?? 0) - (this.#ranks[a] ?? 0) || a - b)
    const ids = order.map((number) => this.#ids[number] ?? '')
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

function memberAt(record: CrmRecord, member: string) {
  return Object.hasOwn(record, member) ? record[member] : undefined
}

/** Larger is better. */
function rankOf(record: JsonObject, winner: WinnerRule): number {
  if (winner === 'fullest') return filledMembers(record)
  const time = winner === 'newest' ? (record.updated_at ?? record.created_at) : record.created_at
  const timeMs = typeof time === 'number' ? time : Date.parse(idText(time) ?? '')
  if (Number.isNaN(timeMs)) return Number.NEGATIVE_INFINITY
  return winner === 'newest' ? timeMs : -timeMs
}

function filledMembers(record: JsonObject): number {
  return Object.entries(record).filter(([name, value]) => !isReadOnly(name) && value !== null && value !== '').length
}
