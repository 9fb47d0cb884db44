/** Whether an event name matches any of the globs. `*` matches any text, dots included; an empty list matches all. */
export function matchesAnyGlob(globs: readonly string[], name: string | undefined): boolean {
  if (globs.length === 0) return true
  return name !== undefined && globs.some((glob) => matchesGlob(glob, name))
}

/** Greedy from left to right, each part at its first occurrence: linear time for every glob. */
function matchesGlob(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return glob === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
