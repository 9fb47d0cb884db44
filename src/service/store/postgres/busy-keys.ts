import { CrmError } from '../../../core/errors.ts'
import type { StoreWrite } from '../store.ts'
import type { Meanwhile } from '../write-queue.ts'
import type { PostgresDatabase } from './database.ts'
import { keyHash } from './idempotency.ts'
import { holdKeys } from './sequence.ts'

/** How long a repeated request waits for the first one: most are over by then, and their answer is replayed. */
const LOOK_MS = 500

export function keysOf(writes: readonly StoreWrite[]): readonly string[] {
  return [...new Set(writes.flatMap(({ idempotency }) => (idempotency ? [idempotency.key] : [])))]
}

export function hashesOf(writes: readonly StoreWrite[]): readonly number[] {
  return [...new Set(keysOf(writes).map(keyHash))]
}

export function usesBusyKey({ idempotency }: StoreWrite, busy: ReadonlySet<number> | undefined): boolean {
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
export function watchBusyKeys(
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
