export interface StoreOptions {
  /**
   * The path of a database file, or `:memory:`, which keeps nothing; a missing file is created, with its folder. Or the URI of
   * a PostgreSQL database, `postgres://...`, whose missing tables are created.
   */
  readonly address: string
  /** The variables of libpq, such as PGHOST, for what the URI lacks. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  /** True: `Store.now` is the clock of the database's machine, for processes on several machines. */
  readonly sharesClock?: boolean
  /** False: a missing database is an error. */
  readonly isCreated?: boolean
  /** Nothing is written, so read permission is sufficient. */
  readonly isOnlyRead?: boolean
  /** Undefined: KEPT_MS. Processes of one database need the same. */
  readonly retention?: Partial<Retention> | undefined
  /** Undefined: nothing is reported. */
  readonly observer?: StoreObserver | undefined
}

/** How long the store keeps what it needs no longer. */
export interface Retention {
  /** The answer to an idempotency key, for replays. */
  readonly answersMs: number
  /** The log entry of a delivery that succeeded, and of one that failed for good. */
  readonly successesMs: number
  readonly failuresMs: number
  /** An entry of the history; 0 keeps none, and Infinity all. */
  readonly historyMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export const KEPT_MS: Retention = {
  answersMs: DAY_MS,
  successesMs: DAY_MS,
  failuresMs: 7 * DAY_MS,
  historyMs: 90 * DAY_MS,
}

/** Receives what a store does, while it does it: its methods return at once and never throw. */
export interface StoreObserver {
  /** A transaction of so many writes is durable; `ms` is the time from its start. */
  commit(done: { readonly writes: number; readonly ms: number }): void
  /** So many writes wait for a transaction now. */
  queued(writes: number): void
  /** An operation, or a batch of writes, has waited so long for a lock, whether or not it got it. */
  lockWait(ms: number): void
  /** The connections of a pool have changed; never called by a store without a pool. */
  pool(use: PoolUse): void
}

export interface PoolUse {
  readonly open: number
  readonly idle: number
  /** Operations that wait for a connection. */
  readonly waiting: number
}
