import { setImmediate, setTimeout } from 'node:timers/promises'
import type { StoreWrite, WriteResult } from './store.ts'
import type { StoreObserver } from './store-options.ts'

/** `refusal` is the error thrown by `decide`; other writes of the batch are not affected. */
export type BatchOutcome = { readonly result: WriteResult } | { readonly refusal: unknown }

/** How long a write waits in total for a database locked by another process. */
export const LOCK_WAIT_MS = 5000

/** Between two attempts. */
export const RETRY_MS = 25

/** Limits how long one transaction blocks other processes and the reads of this one. */
const MAX_WRITES_PER_COMMIT = 512

/** Of the event loop, in which writes may gather: each reads what has arrived. */
const MAX_TURNS = 8

interface Waiting {
  readonly write: StoreWrite
  /** 0: it is answered already. */
  giveUpMs: number
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: unknown) => void
}

export interface WriteQueue {
  add(write: StoreWrite): Promise<WriteResult>
  /** Resolves when no write is waiting. */
  drained(): Promise<void>
}

/** What a commit may do before it ends. */
export interface Meanwhile {
  /** Adds what has come since to the batch, and returns it. */
  readonly takeMore: () => readonly StoreWrite[]
  /** Those that are not in the batch. */
  readonly others: () => readonly StoreWrite[]
  /** Answers a write that has no effect before the batch ends; if it is in the batch, its outcome is ignored. */
  readonly answerNow: (write: StoreWrite, result: WriteResult) => void
}

export interface QueueOptions {
  /** Rejects when nothing was written. */
  readonly commit: (
    writes: readonly StoreWrite[],
    meanwhile: Meanwhile,
  ) => readonly BatchOutcome[] | Promise<readonly BatchOutcome[]>
  /** Whether a batch that was rejected with this error may succeed when repeated. */
  readonly isRepeatable: (error: unknown) => boolean
  readonly observer: StoreObserver | undefined
}

/**
 * Groups the writes of successive turns of the event loop, and those that come while a commit runs, so that they share a commit
 * and its disk sync. While a batch must be repeated, each waits up to LOCK_WAIT_MS without blocking the thread.
 */
export function openWriteQueue({ commit, isRepeatable, observer }: QueueOptions): WriteQueue {
  let waiting: Waiting[] = []
  /** Since when the first batch is locked out. */
  let lockedSinceMs: number | undefined
  let working: Promise<void> | undefined

  /** False when the batch must be repeated. */
  const commitSome = async (): Promise<boolean> => {
    let batch = waiting.slice(0, MAX_WRITES_PER_COMMIT)
    const takeMore = (): readonly StoreWrite[] => {
      const more = waiting.slice(batch.length, MAX_WRITES_PER_COMMIT)
      batch = [...batch, ...more]
      return more.map(({ write }) => write)
    }
    const others = () => waiting.slice(batch.length).map(({ write }) => write)
    const answerNow = (write: StoreWrite, result: WriteResult): void => {
      const answered = waiting.find((each) => each.write === write)
      if (!answered) return
      answered.giveUpMs = 0
      answered.resolve(result)
      if (!batch.includes(answered)) waiting = waiting.filter((each) => each !== answered)
    }
    const startMs = performance.now()
    try {
      const outcomes = await commit(
        batch.map(({ write }) => write),
        { takeMore, others, answerNow },
      )
      observer?.commit({ writes: batch.length, ms: performance.now() - startMs })
      for (const [place, each] of batch.entries()) settle(outcomes[place], each)
    } catch (error) {
      if (isRepeatable(error)) {
        lockedSinceMs ??= startMs
        giveUpOverdue(error)
        return false
      }
      for (const { reject } of batch) reject(error)
    }
    noteLockWait(startMs)
    waiting = waiting.slice(batch.length)
    observer?.queued(waiting.length)
    return true
  }
  const noteLockWait = (untilMs: number): void => {
    if (lockedSinceMs !== undefined) observer?.lockWait(untilMs - lockedSinceMs)
    lockedSinceMs = undefined
  }
  const giveUpOverdue = (error: unknown): void => {
    const nowMs = performance.now()
    const overdue = waiting.filter(({ giveUpMs }) => giveUpMs <= nowMs)
    waiting = waiting.filter(({ giveUpMs }) => giveUpMs > nowMs)
    if (waiting.length === 0) noteLockWait(nowMs)
    observer?.queued(waiting.length)
    for (const { reject } of overdue) reject(error)
  }
  /** Until a turn of the event loop brings no further write. */
  const gather = async (): Promise<void> => {
    for (let turns = 0, before = -1; turns < MAX_TURNS && waiting.length > before; turns++) {
      before = waiting.length
      await setImmediate()
    }
  }
  const work = async (): Promise<void> => {
    await gather()
    while (waiting.length > 0) await ((await commitSome()) ? gather() : setTimeout(RETRY_MS))
    working = undefined
  }
  return {
    add: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, giveUpMs: performance.now() + LOCK_WAIT_MS, resolve, reject })
        observer?.queued(waiting.length)
        working ??= work()
      }),
    drained: async () => working,
  }
}

function settle(outcome: BatchOutcome | undefined, { resolve, reject }: Waiting): void {
  if (outcome && 'result' in outcome) resolve(outcome.result)
  else reject(outcome?.refusal)
}
