/** Senders retry for days, but most duplicates arrive within minutes. This is about 10 MB of ids. */
export const MAX_SEEN_IDS = 100_000

export interface SeenIds {
  /** Adds the id. Returns whether it was known. */
  add(id: string): boolean
}

/** Remembers the last `maxIds` ids; those in `known` are the oldest. */
export function createSeenIds(known: readonly string[] = [], maxIds: number = MAX_SEEN_IDS): SeenIds {
  const ids = new Set(known)
  // A Set finds its oldest member only by skipping the slots of all deleted members.
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
