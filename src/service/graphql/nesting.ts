/** The quoted texts and comments of a document, whose brackets count for nothing, and its brackets. */
const BRACKETS = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\r\n])*"|#[^\r\n]*|[([{]|[)\]}]/g

/**
 * Whether brackets stand in each other more than `limit` deep. Whoever parses such a document calls itself for each of them,
 * and a stack that V8 has not optimised yet has no room for two thousand.
 */
export function isNestedDeeper(query: string, limit: number): boolean {
  let depth = 0
  for (const [found] of query.matchAll(BRACKETS)) {
    if ('([{'.includes(found)) depth += 1
    else if (')]}'.includes(found)) depth -= 1
    if (depth > limit) return true
  }
  return false
}
