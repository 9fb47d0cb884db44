import { setImmediate as nextTurn } from 'node:timers/promises'
import { CrmError } from '../../core/errors.ts'
import { createRate } from '../../output/progress.ts'
import type { Edit } from '../list/list-state.ts'
import type { Confirmation } from '../overlay.ts'
import type { ServerList } from '../screens.ts'
import type { SendProgress, State, StateStore } from '../state.ts'

/** Running requests: the screens show them, and ask before they close. */
export interface UnderWay {
  /** `what` is shown: `2 updates of contacts`. */
  track<Result>(what: string, work: () => Promise<Result>): Promise<Result>
  /** Work of many rows, whose progress is shown, and which the stop key ends. */
  trackRows<Result>(what: string, work: (rows: TrackedRows) => Promise<Result>): Promise<Result>
  /** Ends all work of many rows after the requests that were sent; false when there is none. */
  stop(): boolean
  /** Resolves when no request is running. */
  settled(): Promise<void>
}

export interface TrackedRows {
  /** Aborted by the stop key. */
  readonly stop: AbortSignal
  /** The function is asked for the counts four times a second. */
  watch(counts: () => RowCounts): void
}

export type RowCounts = Pick<SendProgress, 'total' | 'ended' | 'failed' | 'pausedBy' | 'jobId'>

const SHOWN_EVERY_MS = 250

export function createUnderWay(store: StateStore<State>): UnderWay {
  const running = new Set<Promise<unknown>>()
  const stops = new Set<AbortController>()
  let count = 0

  async function track<Result>(what: string, work: (id: number) => Promise<Result>): Promise<Result> {
    const id = ++count
    const ended = Promise.withResolvers<void>()
    running.add(ended.promise)
    store.update((state) => ({ ...state, underWay: [...state.underWay, { id, what, progress: undefined }] }))
    try {
      return await work(id)
    } finally {
      store.update((state) => ({ ...state, underWay: state.underWay.filter((each) => each.id !== id) }))
      running.delete(ended.promise)
      ended.resolve()
    }
  }

  return {
    track,
    trackRows: (what, work) =>
      track(what, async (id) => {
        const stop = new AbortController()
        const meter = createMeter(store, id, stop.signal)
        stops.add(stop)
        try {
          return await work({ stop: stop.signal, watch: meter.watch })
        } finally {
          stops.delete(stop)
          meter.close()
        }
      }),
    stop: () => {
      for (const stop of stops) stop.abort(new Error('the stop key was pressed'))
      return stops.size > 0
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
      // The caller that awaited the last request reports its result first.
      await nextTurn()
    },
  }
}

/** Puts the progress of one work into the state, at a rate that does not depend on the number of rows. */
function createMeter(store: StateStore<State>, id: number, stop: AbortSignal) {
  const rate = createRate()
  let timer: NodeJS.Timeout | undefined
  const show = (counts: () => RowCounts) => {
    const now = counts()
    rate.measure(now.ended, performance.now())
    const progress = { ...now, perSecond: rate.perSecond(), isStopping: stop.aborted }
    store.update((state) => ({
      ...state,
      underWay: state.underWay.map((each) => (each.id === id ? { ...each, progress } : each)),
    }))
  }
  return {
    watch: (counts: () => RowCounts) => {
      rate.measure(counts().ended, performance.now())
      const again = () => show(counts)
      timer = setInterval(again, SHOWN_EVERY_MS)
      stop.addEventListener('abort', again, { once: true })
    },
    close: () => clearInterval(timer),
  }
}

/** The changes that can be undone, the last first. */
export interface History {
  add(entry: Undo): void
  last(): Undo | undefined
}

export interface UndoOfEdits {
  readonly type: 'edits'
  readonly name: ServerList
  readonly edits: readonly Edit[]
}

export interface UndoOfChange {
  readonly type: 'change'
  readonly what: string
  readonly name: ServerList
  /** What the undo changes. */
  readonly diff: NonNullable<Confirmation['diff']>
  readonly undo: () => Promise<void>
}

export type Undo =
  | UndoOfChange
  /** It cannot be taken back, and neither can what was before it: a key must not reach past what a person saw last. */
  | { readonly type: 'barrier'; readonly what: string }
  /** Reverted by a request for each. */
  | UndoOfEdits
  /** Reverted by a job of its own. */
  | { readonly type: 'job'; readonly id: string }

export function createUndoHistory(): History {
  const entries: Undo[] = []
  return { add: (entry) => void entries.push(entry), last: () => entries.pop() }
}

/** Why `u` does nothing at a barrier. */
export function barrierText(what: string): string {
  return `${what} cannot be taken back, nor can what was changed before it`
}

/** The work; where it is unknown whether it was done, a barrier. */
export async function withBarrier<Result>(
  history: Pick<History, 'add'>,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CrmError && error.details.isInDoubt) history.add({ type: 'barrier', what })
    throw error
  }
}
