/**
 * The differences between two runs: ids, times, addresses, folders, durations, sizes. `…` in a sample matches any text in its
 * line, and any lines when alone on a line.
 */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b(con|deal|note|wh|evt|key|pipe|stage|job)_[0-9a-z]+/g, '$1_ID'],
  // Of a rate limit.
  [/\b\d+ left\b/g, 'N left'],
  [/\bending in \S{4}/g, 'ending in KEY'],
  [/\bremaining: \d+|\breset: \d+|;r=\d+|;t=\d+/g, 'N'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, 'TIME'],
  [/https?:\/\/(?:127\.0\.0\.1:\d+|crm\.example\.com)/g, 'URL'],
  [/\b127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/(?<![\w.])(?:~|\/[\w.@-]+)(?:\/[\w.@-]+)+/g, 'PATH'],
  [/\b\d+(?:\.\d+)? (?:ms|s|min|h|KB|MB|KiB|MiB)\b/g, 'AMOUNT'],
  [/\b\d+(?:\.\d+)? to \d+(?:\.\d+)?(?= AMOUNT)|\bmedian AMOUNT of \d+ requests \([^)]*\)/g, 'LATENCY'],
  [/(?:same time as|AMOUNT (?:behind|ahead of)) this machine/g, 'CLOCK'],
  [/"(\w+_ms)": -?\d+/g, '"$1": N'],
  [/[─━-]{3,}/g, '---'],
  [/\s+/g, ' '],
]

function plain(line: string): string {
  return VARYING.reduce((text, [pattern, name]) => text.replace(pattern, name), line).trim()
}

/** The lines of a sample that are missing in the output; none for a correct sample. */
export function untrueLines(sample: readonly string[], printed: string): readonly string[] {
  const left = printed.split('\n').map(plain)
  return sample.filter((line) => {
    const wanted = plain(line)
    if (wanted === '' || wanted === '…') return false
    const parts = wanted.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = new RegExp(`^${parts.join('.*')}$`)
    const index = left.findIndex((each) => pattern.test(each))
    if (index < 0) return true
    left.splice(index, 1)
    return false
  })
}
