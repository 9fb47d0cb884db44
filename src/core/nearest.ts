/** The name within one edit of the text, or two when the text is not short; undefined for none. */
export function nearest(text: string, names: readonly string[]): string | undefined {
  const wanted = text.toLowerCase()
  let best: string | undefined
  let least = wanted.length < 5 ? 2 : 3
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase(), least)
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** Optimal string alignment distance (insertions, deletions, replacements, swaps of neighbours), at most `limit`. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  const cost = (at: number, to: number): number => rows[at]?.[to] ?? limit
  for (let at = 1; at <= one.length; at++) {
    const row = [at]
    rows.push(row)
    for (let to = 1; to <= other.length; to++) {
      const replaced = cost(at - 1, to - 1) + (one[at - 1] === other[to - 1] ? 0 : 1)
      const isSwap = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const swapped = isSwap ? cost(at - 2, to - 2) + 1 : limit
      row.push(Math.min(replaced, swapped, cost(at - 1, to) + 1, cost(at, to - 1) + 1))
    }
  }
  return Math.min(limit, cost(one.length, other.length))
}

/**
 * The form in which texts of records are compared: trimmed, in Unicode's composed form (NFC) and in lower case without
 * rules of a language. Undefined for a blank text.
 */
export function foldedText(text: string): string | undefined {
  return text.trim().normalize('NFC').toLowerCase() || undefined
}

/** The same with one space for each run of blanks, as servers normalise texts; empty for a blank text. */
export function foldedLine(text: string): string {
  return foldedText(text.replace(/\s+/g, ' ')) ?? ''
}

/** Makes names such as `E-Mail`, `owner ID` and `e_mail:` comparable. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+|[.:]+$/g, '')
}
