import { createHash } from 'node:crypto'
import { CrmError } from '../../../core/errors.ts'
import type { Session, Transaction } from '../sql.ts'
import type { StoreWrite } from '../store.ts'
import type { StoreObserver } from '../store-options.ts'
import type { BeginWrites, BegunWrites, WaitingWrites, WriteGroup } from '../write-batch.ts'
import type { Meanwhile } from '../write-queue.ts'
import type { PostgresDatabase } from './database.ts'
import { holdKeys, writing } from './sequence.ts'

/** How long a repeated request waits for the first one: most are over by then, and their answer is replayed. */
const LOOK_MS = 500

/** Locks the idempotency keys of writes, and then the row of `sequence`. */
export function beginWrites(database: PostgresDatabase, observer: StoreObserver | undefined): BeginWrites {
  return <T, Read>(
    { writes: first, ...meanwhile }: WaitingWrites,
    read: (session: Session, writes: readonly StoreWrite[]) => Promise<Read>,
    work: (tx: Transaction, begun: BegunWrites<Read>) => Promise<T>,
  ): Promise<T> => {
    const watch = watchBusyKeys(database, first, meanwhile)
    const { onBegun } = watch
    return writing<T, Read>(
      database,
      { keys: hashesOf(first), onBegun },
      async (tx, state, found) => {
        watch.end()
        if (state.waitedMs !== undefined) observer?.lockWait(state.waitedMs)
        const groups = [groupOf(first, state.busy, found)]
        // While it waited for another process, more writes have come, which need not wait again.
        const more = state.waitedMs === undefined ? [] : meanwhile.takeMore()
        if (more.length > 0) {
          const [busy, added] = await Promise.all([holdKeys(tx, hashesOf(more)), read(tx, more)])
          // A key that was busy at the begin may be free for a write that has joined.
          groups.push(groupOf(more, new Set(busy), added))
        }
        return work(tx, { ...state, groups })
      },
      (tx) => read(tx, first),
    ).finally(watch.end)
  }
}

function groupOf<Read>(writes: readonly StoreWrite[], busy: ReadonlySet<number>, read: Read): WriteGroup<Read> {
  return { writes, read, isBusy: (write: StoreWrite) => usesBusyKey(write, busy) }
}

/** The number under which processes lock a key; those of different keys may be equal. */
function keyHash(key: string): number {
  return createHash('sha1').update(key).digest().readInt32BE(0)
}

function keysOf(writes: readonly StoreWrite[]): readonly string[] {
  return [...new Set(writes.flatMap(({ idempotency }) => (idempotency ? [idempotency.key] : [])))]
}

function hashesOf(writes: readonly StoreWrite[]): readonly number[] {
  return [...new Set(keysOf(writes).map(keyHash))]
}

function usesBusyKey({ idempotency }: StoreWrite, busy: ReadonlySet<number> | undefined): boolean {
  return busy !== undefined && busy.size > 0 && idempotency !== undefined && busy.has(keyHash(idempotency.key))
}

interface Watch {
  /** Called with the keys of the transaction that another one holds. */
  readonly onBegun: (busy: ReadonlySet<number>) => void
  end(): void
}

/**
 * While a transaction with the writes `first` waits for another process, writes whose key is busy are answered: its own when it
 * has begun, and those that wait for its end, also for a key that it holds itself, after LOOK_MS.
 */
function watchBusyKeys(
  database: PostgresDatabase,
  first: readonly StoreWrite[],
  { others, answerNow }: Pick<Meanwhile, 'others' | 'answerNow'>,
): Watch {
  const answer = (writes: readonly StoreWrite[], busy: ReadonlySet<number>): void => {
    for (const write of writes) if (usesBusyKey(write, busy)) answerNow(write, { type: 'key_in_use' })
  }
  let seen: ReadonlySet<StoreWrite> = new Set()
  const look = async (): Promise<void> => {
    const waiting = () => others().filter((write) => seen.has(write))
    const hashes = hashesOf(waiting())
    // Outside of a transaction, so that the locks are free again when the statement ends.
    const busy = new Set(hashes.length === 0 ? [] : await holdKeys(database.short, hashes))
    // Without those that have joined the transaction meanwhile.
    answer(waiting(), busy)
    seen = new Set(others())
  }
  // A database that is away fails the transaction, too.
  const timer = setInterval(() => void look().catch(ignorePassing), LOOK_MS)
  return { onBegun: (busy) => answer(first, busy), end: () => clearInterval(timer) }
}

function ignorePassing(error: unknown): void {
  if (!(error instanceof CrmError)) throw error
}
