import { setImmediate as nextTurn } from 'node:timers/promises'
import type { State, StateStore } from '../state.ts'

/** Running requests: the screens show them, and ask before they close. */
export interface UnderWay {
  /** `what` is shown: `2 updates of contacts`. */
  track<Result>(what: string, work: () => Promise<Result>): Promise<Result>
  /** Resolves when no request is running. */
  settled(): Promise<void>
}

export function createUnderWay(store: StateStore<State>): UnderWay {
  const running = new Set<Promise<unknown>>()
  let count = 0
  return {
    track: async (what, work) => {
      const id = ++count
      const ended = Promise.withResolvers<void>()
      running.add(ended.promise)
      store.update((state) => ({ ...state, underWay: [...state.underWay, { id, what }] }))
      try {
        return await work()
      } finally {
        store.update((state) => ({ ...state, underWay: state.underWay.filter((each) => each.id !== id) }))
        running.delete(ended.promise)
        ended.resolve()
      }
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
      // The caller that awaited the last request reports its result first.
      await nextTurn()
    },
  }
}

/** The changes that can be undone, the last first. */
export interface History {
  add(entry: Undo): void
  last(): Undo | undefined
}

interface Undo {
  readonly what: string
  readonly undo: () => Promise<void>
}

export function createHistory(): History {
  const entries: Undo[] = []
  return { add: (entry) => void entries.push(entry), last: () => entries.pop() }
}
