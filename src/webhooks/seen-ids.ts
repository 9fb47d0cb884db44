/** Senders try again for days, but most duplicates come within minutes; this is about 1 MB of ids. */
const MAX_IDS = 10_000

export interface SeenIds {
  /** Whether the id came before; from now on it did. */
  add(id: string): boolean
}

/** Remembers the last ids, of which there may be without end. */
export function createSeenIds(maxIds: number = MAX_IDS): SeenIds {
  const ids = new Set<string>()
  return {
    add(id) {
      if (ids.has(id)) return true
      ids.add(id)
      // A Set keeps the order in which its members came.
      const [oldest] = ids
      if (ids.size > maxIds && oldest !== undefined) ids.delete(oldest)
      return false
    },
  }
}
