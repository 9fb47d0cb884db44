import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { createMatcher, isExact, type Matcher, NO_MATCH } from './matcher.ts'
import { type SearchBlock, searchBlocks, searchedText } from './search-text.ts'

export interface Sort {
  /** Name of the member. */
  readonly by: string
  readonly isDescending: boolean
}

export interface Ordering {
  readonly rows: readonly CrmRecord[]
  /** Members that a filter searches. */
  readonly searched: readonly string[]
  readonly filter: string
  readonly sort: Sort | undefined
}

/** The rows from `from` on to show, as indices in display order; undefined for all rows in the order received. */
export function orderRows(ordering: Ordering, from = 0): readonly number[] | undefined {
  const { rows, filter, sort } = ordering
  const matcher = createMatcher(filter)
  if (!matcher && !sort) return undefined
  const found = matcher ? filterIndices(ordering, matcher, from) : Array.from(rows.keys())
  return sort ? sortIndices(rows, found, sort) : found
}

/** Exact matches are first. */
function filterIndices({ rows, searched }: Ordering, matcher: Matcher, from: number): number[] {
  const found = createFound(rows.length - from)
  if (from > 0) addRows(found, { rows, searched, from }, matcher)
  else for (const block of searchBlocks(rows, searched)) addOfBlock(found, block, matcher)
  return found.indices()
}

interface Found {
  add(index: number, quality: number): void
  indices(): number[]
}

/** The memory of most exact matches is requested once: an array that grows to a hundred thousand is copied twenty times. */
function createFound(most: number): Found {
  const exact = new Array<number>(most)
  const fuzzy: number[] = []
  let count = 0
  return {
    add: (index, quality) => {
      if (isExact(quality)) exact[count++] = index
      else if (quality !== NO_MATCH) fuzzy.push(index)
    },
    indices: () => {
      exact.length = count
      return fuzzy.length === 0 ? exact : exact.concat(fuzzy)
    },
  }
}

function addRows(
  found: Found,
  { rows, searched, from }: Pick<Ordering, 'rows' | 'searched'> & { readonly from: number },
  { match }: Matcher,
): void {
  for (let at = from; at < rows.length; at++) found.add(at, match(searchedText(rows[at] ?? {}, searched)))
}

/** After a row without the first word, goes on at the next one that has it. */
function addOfBlock(
  found: Found,
  { rows, text, starts, first }: SearchBlock,
  { match, words: [word] = [] }: Matcher,
): void {
  for (let row = 0; row < rows.length; row++) {
    const quality = match(text.slice(starts[row], starts[row + 1]))
    found.add(first + row, quality)
    if (quality !== NO_MATCH || word === undefined) continue
    const next = text.indexOf(word, starts[row + 1])
    if (next < 0) return
    while ((starts[row + 2] ?? text.length) <= next) row++
  }
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
