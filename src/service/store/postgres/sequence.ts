import { setTimeout } from 'node:timers/promises'
import { CrmError } from '../../../core/errors.ts'
import { nextSerial, writeTimeMs } from '../change-rules.ts'
import { DURABLY, type PostgresDatabase, type PostgresSession, type PostgresTransaction } from './database.ts'

/** How long a transaction waits for another process's; then the write is 503. */
const LOCK_MS = 5000

/** A process that stopped in the middle of a transaction frees the others after this time. */
const IDLE_MS = 10_000

/** A transaction of a process, in the table `writers`. */
export interface CommitMark {
  readonly writer: string
  readonly number: number
}

/** Rows of processes that have ended are deleted after this time. */
const WRITER_KEPT_MS = 24 * 60 * 60 * 1000

/** Waits for the row; the last column is the time in ms since the statements arrived. */
const LOCK_SEQUENCE = `SELECT *, (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)::float8 FROM (
  SELECT last_serial, rules_version FROM sequence FOR UPDATE) AS held`

type SequenceRow = readonly [lastSerial: number, rulesVersion: number, sinceMs: number]

/** Finds the row unless another writer has it. */
const TRY_SEQUENCE = 'SELECT 1 FROM sequence FOR UPDATE SKIP LOCKED'

/** Between two questions for the outcome of a COMMIT. */
const ASK_AGAIN_MS = 100

export interface Writing {
  readonly lastSerial: number
  /** Changes when subscriptions, unique members or pipelines have changed. */
  readonly rulesVersion: number
  /** Hashes of idempotency keys that another transaction holds. */
  readonly busy: ReadonlySet<number>
  /** How long it waited for another writer; undefined when it did not wait. */
  readonly waitedMs: number | undefined
}

export interface WritingOptions {
  /** Hashes of idempotency keys, held until the end. */
  readonly keys?: readonly number[]
  /** Called before the wait for the row of `sequence`, with the keys that another transaction holds. */
  readonly onBegun?: (busy: ReadonlySet<number>) => void
}

/**
 * A transaction that writes: the row of `sequence` stays locked until its end, so writers follow one another and the order of
 * ids is the order of commits. A reader of pages never finds a record older than one it has seen that was not there before.
 * `read` gets what `work` needs, when the row is locked.
 */
export function writing<T, Read>(
  database: PostgresDatabase,
  { keys = [], onBegun }: WritingOptions,
  work: (tx: PostgresTransaction, writing: Writing, read: Read) => Promise<T>,
  read: (tx: PostgresSession) => Promise<Read>,
): Promise<T> {
  const begin = [
    'BEGIN',
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
    DURABLY,
    lockKeys(`ARRAY[${keys.join(', ')}]`),
  ]
  return database.begin<T, readonly [Writing, Read]>(
    begin.join('; '),
    (tx, _begun, [state, found]) => work(tx, state, found),
    async (tx, begun) => {
      const known = begun.then((rows) => {
        const busy = new Set((rows[4] ?? []).map(([key]) => Number(key)))
        onBegun?.(busy)
        return busy
      })
      // A script of its own, because PostgreSQL sends the rows of one at its end.
      const [busy, locked, found] = await Promise.all([known, tx.script(`${TRY_SEQUENCE}; ${LOCK_SEQUENCE}`), read(tx)])
      return [{ busy, ...lockedState(locked) }, found]
    },
  )
}

function lockedState([tried, held]: Awaited<ReturnType<PostgresSession['script']>>): Omit<Writing, 'busy'> {
  const [row] = (held ?? []) as unknown as readonly SequenceRow[]
  if (!row) throw new Error('the table sequence has no row')
  const [lastSerial, rulesVersion, sinceMs] = row
  return { lastSerial, rulesVersion, waitedMs: tried?.length === 1 ? undefined : sinceMs }
}

/** Takes locks of more keys until the end of the transaction, if there is one; returns those that another one holds. */
export async function holdKeys(tx: PostgresSession, keys: readonly number[]): Promise<readonly number[]> {
  return (await tx.all<[number]>(lockKeys('$1'), keys)).flat()
}

/** The statement that locks keys, and finds those that another transaction holds. */
function lockKeys(list: string): string {
  return `SELECT key FROM unnest(${list}::int[]) AS key WHERE NOT pg_try_advisory_xact_lock(${KEY_LOCKS}, key)`
}

/** Makes the transaction one that `isCommitted` finds. */
export function markCommit(tx: PostgresTransaction, { writer, number }: CommitMark, nowMs: number): void {
  // Both are made here: a UUID and a count.
  tx.atCommit(`INSERT INTO writers VALUES ('${writer}', ${number}, ${nowMs})
    ON CONFLICT (name) DO UPDATE SET last_commit = excluded.last_commit, at_ms = excluded.at_ms`)
  if (number === 1) tx.atCommit(`DELETE FROM writers WHERE at_ms < ${nowMs - WRITER_KEPT_MS}`)
}

/**
 * Whether a marked transaction was committed whose COMMIT got no answer; undefined when the database stays away. The number of
 * the transaction would not tell: after a crash or a failover another one may have it. It has ended when `sequence` is free.
 */
export async function isCommitted(
  database: PostgresDatabase,
  { writer, number }: CommitMark,
): Promise<boolean | undefined> {
  const find = (session: PostgresSession) =>
    session.get<[number]>('SELECT last_commit FROM writers WHERE name = $1', writer).then((row) => row?.[0] ?? 0)
  const endMs = performance.now() + LOCK_MS
  while (performance.now() < endMs) {
    try {
      return await writing(
        database,
        {},
        async (tx, _state, last) => {
          // A write, so that its COMMIT waits until standbys have what it has seen.
          tx.atCommit('UPDATE sequence SET rules_version = rules_version')
          return last >= number
        },
        find,
      )
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
    }
    await setTimeout(ASK_AGAIN_MS)
  }
  return undefined
}

/** Classes of advisory locks: `crmK` and so on, in ASCII. */
const KEY_LOCKS = 0x63726d4b
export const SCHEMA_LOCK = 0x63726d53

/** The serials of one transaction. */
export class Serials {
  readonly #now: () => number
  #last: number

  constructor(last: number, now: () => number) {
    this.#last = last
    this.#now = now
  }

  get last(): number {
    return this.#last
  }

  timeMs(): number {
    return writeTimeMs(this.#last, this.#now())
  }

  next(): number {
    return this.nextAt(this.#now())
  }

  /** One of this time, unless more were taken than a millisecond has. */
  nextAt(timeMs: number): number {
    this.#last = nextSerial(this.#last, timeMs)
    return this.#last
  }
}
