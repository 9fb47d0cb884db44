import { setTimeout } from 'node:timers/promises'
import { nextSerial, writeTimeMs } from '../change-rules.ts'
import type { Database, Session, Transaction } from './database.ts'
import { isPassing } from './failure.ts'

/** How long a transaction waits for another process's; then the write is 503. */
const LOCK_MS = 5000

/** A process that stopped in the middle of a transaction frees the others after this time. */
const IDLE_MS = 10_000

/** A transaction, in the history of the database to which it belongs: a failover may begin another one. */
export interface Identity {
  readonly xid: string
  readonly timeline: string
}

/** The first part of the name of a file of the write-ahead log. */
const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** Waits for the row; the last column is the time in ms since the statements arrived. */
const LOCK_SEQUENCE = `SELECT *, (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)::float8 FROM (
  SELECT last_serial, rules_version, pg_current_xact_id()::text, ${TIMELINE} FROM sequence FOR UPDATE) AS held`

type SequenceRow = readonly [lastSerial: number, rulesVersion: number, xid: string, timeline: string, sinceMs: number]

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
  readonly identity: Identity
  /** How long it waited for another writer; undefined when it did not wait. */
  readonly waitedMs: number | undefined
}

/**
 * A transaction that writes: the row of `sequence` stays locked until its end, so writers follow one another and the order of
 * ids is the order of commits. A reader of pages never finds a record older than one it has seen that was not there before.
 * `keys` are hashes of idempotency keys, held until the end. `read` gets what `work` needs, when the row is locked.
 */
export function writing<T, Read>(
  database: Database,
  keys: readonly number[],
  work: (tx: Transaction, writing: Writing, read: Read) => Promise<T>,
  read: (tx: Session) => Promise<Read>,
): Promise<T> {
  const begin = [
    'BEGIN',
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
    // Also where the database is set to acknowledge before the disk has it.
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
    lockKeys(`ARRAY[${keys.join(', ')}]`),
    TRY_SEQUENCE,
    LOCK_SEQUENCE,
  ]
  return database.transaction(
    begin.join('; '),
    (tx, begun, found) => {
      const busy = new Set((begun[4] ?? []).map(([key]) => Number(key)))
      const isFree = begun[5]?.length === 1
      const [row] = (begun[6] ?? []) as unknown as readonly SequenceRow[]
      if (!row) throw new Error('the table sequence has no row')
      const [lastSerial, rulesVersion, xid, timeline, sinceMs] = row
      const waitedMs = isFree ? undefined : sinceMs
      return work(tx, { lastSerial, rulesVersion, identity: { xid, timeline }, busy, waitedMs }, found)
    },
    read,
  )
}

/** Takes locks of more idempotency keys; returns those that another transaction holds. */
export async function holdKeys(tx: Session, keys: readonly number[]): Promise<readonly number[]> {
  return (await tx.all<[number]>(lockKeys('$1'), keys)).flat()
}

/** The statement that locks keys, and finds those that another transaction holds. */
function lockKeys(list: string): string {
  return `SELECT key FROM unnest(${list}::int[]) AS key WHERE NOT pg_try_advisory_xact_lock(${KEY_LOCKS}, key)`
}

/**
 * Whether a transaction was committed whose COMMIT got no answer; undefined when that cannot be known: the database stays
 * away, or goes on in another history.
 */
export async function isCommitted(database: Database, { xid, timeline }: Identity): Promise<boolean | undefined> {
  const endMs = performance.now() + LOCK_MS
  while (performance.now() < endMs) {
    try {
      const [state, current] =
        (await database.get<[string | null, string]>(`SELECT pg_xact_status($1::text::xid8), ${TIMELINE}`, xid)) ?? []
      if (current !== timeline) return undefined
      if (state !== 'in progress') return state === null ? undefined : state === 'committed'
    } catch (error) {
      if (!isPassing(error)) throw error
    }
    await setTimeout(ASK_AGAIN_MS)
  }
  return undefined
}

/** Classes of advisory locks: `crmK` and so on, in ASCII. */
const KEY_LOCKS = 0x63726d4b
export const LINE_LOCKS = 0x63726d4c
export const PRUNE_LOCK = 0x63726d50
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
    this.#last = nextSerial(this.#last, this.#now())
    return this.#last
  }
}
