/** State outside React, so that work continues, and can be tested, without a screen. */
export interface Store<State> {
  get(): State
  update(change: (state: State) => State): void
  /** Returns a function that stops watching. */
  subscribe(listener: () => void): () => void
}

export function createStore<State>(initial: State): Store<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    update: (change) => {
      const next = change(state)
      if (next === state) return
      state = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
