/** Of the words, the one that was most likely meant; undefined when none is near. */
export function nearestWord(text: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, edits: editDistance(text, word) }))
    .toSorted((one, other) => one.edits - other.edits)
  const [best] = ranked
  return best && best.edits <= Math.max(2, Math.floor(text.length / 3)) ? best.word : undefined
}

/** Insertions, deletions and replacements of one character, and swaps of two neighbours (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost, swap))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
