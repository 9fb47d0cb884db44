/** Senders try again for days, but most duplicates come within minutes; this is about 10 MB of ids. */
export const MAX_SEEN_IDS = 100_000

export interface SeenIds {
  /** Whether the id came before; from now on it did. */
  add(id: string): boolean
}

/** Remembers the last ids, of which there may be without end; those that are `known` to begin with are the oldest. */
export function createSeenIds(known: readonly string[] = [], maxIds: number = MAX_SEEN_IDS): SeenIds {
  const ids = new Set(known)
  // Beside the Set, whose oldest member is found only past the places of all that were deleted.
  const ring = [...ids]
  let oldestAt = 0
  return {
    add(id) {
      if (ids.has(id)) return true
      ids.add(id)
      if (ring.length < maxIds) {
        ring.push(id)
        return false
      }
      ids.delete(ring[oldestAt] ?? '')
      ring[oldestAt] = id
      oldestAt = (oldestAt + 1) % maxIds
      return false
    },
  }
}
