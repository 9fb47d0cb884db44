import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

export const NO_MATCH = 0

const FUZZY = 1

const EXACT = 2

/** The letters of a word may be spread over this many times its length; with more, everything would match. */
const MOST_SPREAD = 2

export interface Sort {
  /** Name of the member. */
  readonly by: string
  readonly isDescending: boolean
}

export interface Ordering {
  readonly rows: readonly CrmRecord[]
  /** In the order of the rows. */
  readonly haystacks: readonly string[]
  readonly filter: string
  readonly sort: Sort | undefined
}

/**
 * The rows to show, as indices in display order; undefined for all rows in the order received. `among` contains all rows that
 * can match, if known.
 */
export function orderRows(ordering: Ordering, among?: readonly number[]): readonly number[] | undefined {
  const { rows, haystacks, filter, sort } = ordering
  const words = filterWords(filter)
  if (words.length === 0 && !sort) return undefined
  const found = words.length === 0 ? Array.from(rows.keys()) : filterIndices(haystacks, words, among)
  return sort ? sortIndices(rows, found, sort) : found
}

/** Exact matches are first. */
function filterIndices(
  haystacks: readonly string[],
  words: readonly string[],
  among: readonly number[] | undefined,
): number[] {
  const exact: number[] = []
  const fuzzy: number[] = []
  const take = (index: number) => {
    const quality = matchWords(haystacks[index] ?? '', words)
    if (quality === NO_MATCH) return
    if (quality === EXACT) exact.push(index)
    else fuzzy.push(index)
  }
  if (among) for (const index of among.toSorted((one, other) => one - other)) take(index)
  else for (let index = 0; index < haystacks.length; index++) take(index)
  return fuzzy.length === 0 ? exact : exact.concat(fuzzy)
}

/** Rows without a value are last in either order. */
function sortIndices(rows: readonly CrmRecord[], indices: number[], { by, isDescending }: Sort): number[] {
  const sign = isDescending ? -1 : 1
  const keys = new Map<number, number | string>()
  const without: number[] = []
  const withKey: number[] = []
  for (const index of indices) {
    const key = sortKey(rows[index]?.[by])
    if (key === undefined) without.push(index)
    else {
      keys.set(index, key)
      withKey.push(index)
    }
  }
  withKey.sort((one, other) => sign * compareKeys(keys.get(one), keys.get(other)) || one - other)
  return withKey.concat(without)
}

function sortKey(value: JsonValue | undefined): number | string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'number') return value
  return (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase()
}

/** Numbers before texts. */
function compareKeys(one: number | string | undefined, other: number | string | undefined): number {
  if (one === undefined || other === undefined || one === other) return 0
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1
  return one < other ? -1 : 1
}

/** The searched text of a row: its members in lower case, one per line; computed once for each row. */
export function haystackOf(record: CrmRecord, members: readonly string[]): string {
  let text = ''
  for (const name of members) {
    const value = record[name]
    if (typeof value === 'string') text += `${value.slice(0, 200)}\n`
    else if (typeof value === 'number') text += `${value}\n`
  }
  return text.toLowerCase()
}

/** Every word of the filter must match: exactly, or with its letters in order within one member. */
export function matchWords(haystack: string, words: readonly string[]): number {
  let quality = EXACT
  for (const word of words) {
    if (haystack.includes(word)) continue
    if (word.length < 3 || !hasInOrder(haystack, word)) return NO_MATCH
    quality = FUZZY
  }
  return quality
}

export function filterWords(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

function hasInOrder(haystack: string, word: string): boolean {
  const first = word.charCodeAt(0)
  for (let start = 0; start < haystack.length; start++) {
    if (haystack.charCodeAt(start) !== first) continue
    if (isSpreadFrom(haystack, word, start)) return true
  }
  return false
}

function isSpreadFrom(haystack: string, word: string, start: number): boolean {
  const end = Math.min(haystack.length, start + word.length * MOST_SPREAD)
  let found = 1
  for (let at = start + 1; at < end; at++) {
    const code = haystack.charCodeAt(at)
    if (code === 10) return false
    if (code === word.charCodeAt(found) && ++found === word.length) return true
  }
  return false
}
