import type { Write, WriteResult } from '../store.ts'
import type { Outcome } from './write-batch.ts'

/** Bounds how long one transaction keeps other processes, and our own reads, waiting. */
const MAX_WRITES_PER_COMMIT = 512

interface Waiting {
  readonly write: Write
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: unknown) => void
}

export interface WriteQueue {
  add(write: Write): Promise<WriteResult>
  /** Commits what is waiting now. */
  drain(): void
}

/**
 * Gathers the writes of one turn of the event loop, so that they share a commit and its wait for the disk.
 * `commit` throws when nothing of the batch was written.
 */
export function openWriteQueue(commit: (writes: readonly Write[]) => readonly Outcome[]): WriteQueue {
  let waiting: Waiting[] = []
  let isScheduled = false

  const commitSome = (): void => {
    const batch = waiting.slice(0, MAX_WRITES_PER_COMMIT)
    waiting = waiting.slice(batch.length)
    let outcomes: readonly Outcome[]
    try {
      outcomes = commit(batch.map(({ write }) => write))
    } catch (error) {
      for (const { reject } of batch) reject(error)
      return
    }
    for (const [place, { resolve, reject }] of batch.entries()) settle(outcomes[place], resolve, reject)
  }
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (waiting.length > 0) commitSome()
      schedule()
    })
  }
  return {
    add: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject })
        schedule()
      }),
    drain: () => {
      while (waiting.length > 0) commitSome()
    },
  }
}

function settle(outcome: Outcome | undefined, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
  if (outcome && 'result' in outcome) resolve(outcome.result)
  else reject(outcome?.refusal)
}
