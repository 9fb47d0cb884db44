import type { State, StateStore } from '../state.ts'

/** The cursor must rest this long before a request. */
const REST_MS = 250

/**
 * Calls `load` with what the open pane wants, when that has not changed for a moment; returns a function that ends this. Its
 * second argument tells whether it is still wanted.
 */
export function watchPane(
  store: StateStore<State>,
  wantedOf: (state: State) => string | undefined,
  load: (wanted: string, isWanted: () => boolean) => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let last: string | undefined
  const unsubscribe = store.subscribe(() => {
    const wanted = wantedOf(store.get())
    if (wanted === last) return
    last = wanted
    clearTimeout(timer)
    if (wanted !== undefined) timer = setTimeout(() => void load(wanted, () => wanted === last), REST_MS)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
