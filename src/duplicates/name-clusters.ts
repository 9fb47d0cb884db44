import type { SimilarPair } from './similar-names.ts'

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

/** Names have numbers below this. */
const MOST_NAMES = 2 ** 26

function placeOf({ one, other }: Pick<SimilarPair, 'one' | 'other'>): number {
  return one * MOST_NAMES + other
}

function ordered(one: number, other: number): Pick<SimilarPair, 'one' | 'other'> {
  return one < other ? { one, other } : { one: other, other: one }
}
