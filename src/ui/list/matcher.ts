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
  if (isFuzzy) {
    return {
      words: undefined,
      match: (haystack) => matchWords(haystack, words),
      partsOf: (text) => wordParts(text, words),
    }
  }
  return {
    words,
    match: (haystack) => {
      for (const word of words) if (!haystack.includes(word)) return NO_MATCH
      return EXACT
    },
    partsOf: (text) => wordParts(text, words),
  }
}

/** Why a filter cannot be used. */
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

export function isExact(quality: number): boolean {
  return quality === EXACT
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
