import type { CrmRecord } from '../../core/resources/registry.ts'

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

export const NO_MATCH = 0
const FUZZY = 1
export const EXACT = 2

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

/** The letters of a word may be spread over this many times its length; with more, everything would match. */
const MOST_SPREAD = 2

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
