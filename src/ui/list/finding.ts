import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

export const NO_MATCH = 0

const FUZZY = 1
const EXACT = 2
/** The letters of a word may be spread over this many times its length; with more, everything would match. */
const MOST_SPREAD = 2

/** What a filter means: `ada engines` all words, `~adlov` letters in order, `/^ada/` a regular expression. */
export interface Matcher {
  /** All must be in the text, where this alone decides. */
  readonly words: readonly string[] | undefined
  /** NO_MATCH, or more for a better match. */
  match(haystack: string): number
  /** The matched parts of a text, as start and end, for all but fuzzy filters. */
  partsOf(text: string): readonly (readonly [from: number, to: number])[]
}

/** Undefined for a filter that matches everything. */
export function createMatcher(filter: string): Matcher | undefined {
  const pattern = patternOf(filter)
  if (pattern) return regexMatcher(pattern.source)
  const isFuzzy = filter.startsWith('~')
  const words = filterWords(isFuzzy ? filter.slice(1) : filter)
  if (words.length === 0) return undefined
  const partsOf = (text: string) => wordParts(text, words)
  if (isFuzzy) return { words: undefined, match: (haystack) => matchWords(haystack, words), partsOf }
  const match = (haystack: string) => {
    for (const word of words) if (!haystack.includes(word)) return NO_MATCH
    return EXACT
  }
  return { words, match, partsOf }
}

export function filterProblem(filter: string): string | undefined {
  const pattern = patternOf(filter)
  if (!pattern) return undefined
  try {
    new RegExp(pattern.source)
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return `${error.message}; without the slashes it is found as text`
  }
}

function patternOf(filter: string): { readonly source: string } | undefined {
  const [, source] = /^\/(.+)\/$/s.exec(filter) ?? []
  return source === undefined ? undefined : { source }
}

/** Nothing matches an invalid expression; filterProblem says why. */
function regexMatcher(source: string): Matcher {
  if (filterProblem(`/${source}/`) !== undefined) {
    return { words: undefined, match: () => NO_MATCH, partsOf: () => [] }
  }
  const first = new RegExp(source, 'im')
  return {
    words: undefined,
    match: (haystack) => (first.test(haystack) ? EXACT : NO_MATCH),
    partsOf: (text) =>
      Array.from(text.matchAll(new RegExp(source, 'gim')), ({ index, 0: found }): readonly [number, number] => [
        index,
        index + found.length,
      ]).filter(([from, to]) => to > from),
  }
}

/** Every word must match: exactly, or with its letters in order within one member. */
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

function wordParts(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase()
  // The lower case of some letters is longer, which would mark other parts.
  if (lower.length !== text.length) return []
  const parts: [number, number][] = []
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
      parts.push([at, at + word.length])
    }
  }
  return parts.toSorted(([one], [other]) => one - other)
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

/** The searched texts of some rows as one text, in which a word is found faster than in a text for each row. */
export interface SearchBlock {
  readonly rows: readonly CrmRecord[]
  readonly first: number
  /** In lower case, a line for each searched member. */
  readonly text: string
  /** Where the text of each row begins, and where the last one ends. */
  readonly starts: Uint32Array
}

const BLOCK_ROWS = 1_000
/** A list without a filter has none. */
const ofLists = new WeakMap<readonly CrmRecord[], readonly SearchBlock[]>()
/** By the first row: most blocks of a list that has changed are those of the list before. */
const byFirstRow = new WeakMap<CrmRecord, SearchBlock>()

export function searchBlocks(rows: readonly CrmRecord[], searched: readonly string[]): readonly SearchBlock[] {
  const before = ofLists.get(rows)
  if (before) return before
  const blocks: SearchBlock[] = []
  for (let first = 0; first < rows.length; first += BLOCK_ROWS) blocks.push(blockAt(rows, searched, first))
  ofLists.set(rows, blocks)
  return blocks
}

function blockAt(all: readonly CrmRecord[], searched: readonly string[], first: number): SearchBlock {
  const rows = all.slice(first, first + BLOCK_ROWS)
  const [key = {}] = rows
  const before = byFirstRow.get(key)
  const isSame = before?.first === first && before.rows.length === rows.length
  if (isSame && rows.every((row, index) => row === before.rows[index])) return before
  const texts = rows.map((row) => searchedText(row, searched))
  const starts = new Uint32Array(rows.length + 1)
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] ?? 0) + text.length
  const block = { rows, first, text: texts.join(''), starts }
  byFirstRow.set(key, block)
  return block
}

function searchedText(record: CrmRecord, members: readonly string[]): string {
  let text = ''
  for (const name of members) {
    const value = record[name]
    if (typeof value === 'string') text += `${value.slice(0, 200)}\n`
    else if (typeof value === 'number') text += `${value}\n`
  }
  return text.toLowerCase()
}

export type Sort = { readonly by: string; readonly isDescending: boolean }

export interface Ordering {
  readonly rows: readonly CrmRecord[]
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
  if (from === 0) for (const block of searchBlocks(rows, searched)) addOfBlock(found, block, matcher)
  else for (let at = from; at < rows.length; at++) found.add(at, matcher.match(searchedText(rows[at] ?? {}, searched)))
  return found.indices()
}

type Found = { add(index: number, quality: number): void; indices(): number[] }

/** The memory of most exact matches is requested once: an array that grows to a hundred thousand is copied twenty times. */
function createFound(most: number): Found {
  const exact = new Array<number>(most)
  const fuzzy: number[] = []
  let count = 0
  return {
    add: (index, quality) => {
      if (quality === EXACT) exact[count++] = index
      else if (quality !== NO_MATCH) fuzzy.push(index)
    },
    indices: () => {
      exact.length = count
      return fuzzy.length === 0 ? exact : exact.concat(fuzzy)
    },
  }
}

/** After a row without the first word, goes on at the next one that has it. */
function addOfBlock(found: Found, { rows, text, starts, first }: SearchBlock, { match, words: [word] = [] }: Matcher) {
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
