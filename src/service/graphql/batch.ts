/**
 * Loads by key, all keys that are asked for in one go of the executor at once, each of them once. Resolves to undefined
 * for a key that `load` does not give.
 */
export function batched<V>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  const known = new Map<string, Promise<V | undefined>>()
  let waiting: string[] = []
  let loading: Promise<ReadonlyMap<string, V>> | undefined
  const loadWaiting = async (): Promise<ReadonlyMap<string, V>> => {
    // Fields of siblings are resolved one after the other without a pause: behind this they have all asked.
    await undefined
    const keys = waiting
    waiting = []
    loading = undefined
    return load(keys)
  }
  return (key) => {
    const before = known.get(key)
    if (before) return before
    waiting.push(key)
    loading ??= loadWaiting()
    const value = loading.then((found) => found.get(key))
    known.set(key, value)
    return value
  }
}
