/** As deep as expressions see; what walks through a value by recursion needs a bound. */
const MOST_LEVELS = 256

export const TOO_DEEP = `nested deeper than ${MOST_LEVELS} levels`

const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]/gs

export function isTooDeep(json: string): boolean {
  if (json.length <= MOST_LEVELS) return false
  let level = 0
  for (const [found] of json.matchAll(TEXT_OR_BRACKET)) {
    if (found === '[' || found === '{') level++
    else if (found === ']' || found === '}') level--
    if (level > MOST_LEVELS) return true
  }
  return false
}
