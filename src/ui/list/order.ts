import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { createMatcher, isExact, type Matcher, NO_MATCH } from './matcher.ts'

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
  const matcher = createMatcher(filter)
  if (!matcher && !sort) return undefined
  const found = matcher ? filterIndices(haystacks, matcher, among) : Array.from(rows.keys())
  return sort ? sortIndices(rows, found, sort) : found
}

/** Exact matches are first. */
function filterIndices(haystacks: readonly string[], matcher: Matcher, among: readonly number[] | undefined): number[] {
  const exact: number[] = []
  const fuzzy: number[] = []
  const take = (index: number) => {
    const quality = matcher.match(haystacks[index] ?? '')
    if (quality === NO_MATCH) return
    if (isExact(quality)) exact.push(index)
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
