import { randomUUID } from 'node:crypto'
import type { RequestCount } from '../../rate-limit.ts'
import { KnownKeys } from '../api-keys.ts'
import type { SqlDatabase } from '../sql.ts'
import { KEYS_CHANNEL, type OwnStore, type RunOperation, sqlStore } from '../sql-store.ts'
import type { Store } from '../store.ts'
import { KEPT_MS, type StoreOptions } from '../store-options.ts'
import {
  type BatchDone,
  commitWrites,
  DELIVERIES_CHANNEL,
  type WaitingWrites,
  type WriteContext,
} from '../write-batch.ts'
import { openWriteQueue, type QueueOptions } from '../write-queue.ts'
import { readAddress } from './address.ts'
import { beginWrites } from './begin-writes.ts'
import { openPool, type PostgresDatabase, type PostgresSession } from './database.ts'
import { CommitInDoubt, databaseFailure, isDiskFull, isPassing } from './failure.ts'
import { listenTo } from './notifications.ts'
import { checkRights, prepareDatabase } from './open-database.ts'
import { type CommitMark, isCommitted, markCommit, writing } from './sequence.ts'
import { followClock } from './shared-clock.ts'

/** A key that another process revokes stops here no later; at once where its notification arrives. */
const KEY_KEPT_MS = 500

/** `openStore` for a database of PostgreSQL, which any number of processes may have open. */
export async function openPostgresStore(options: StoreOptions): Promise<Store> {
  const { address, env = {}, isCreated = true, isOnlyRead = false, observer } = options
  const database = openPool(readAddress(address, env), { observer })
  try {
    await prepareDatabase(database, { isCreated, isOnlyRead })
    if (options.sharesClock) await checkRights(database)
    return await postgresStore(database, options)
  } catch (error) {
    await database.close()
    // A connection that failed on its way may be open still.
    database.cut()
    throw error
  }
}

async function postgresStore(database: PostgresDatabase, options: StoreOptions): Promise<Store> {
  const clock = options.sharesClock ? await followClock(database, options.now) : undefined
  const now = clock?.now ?? options.now
  const kept = { ...KEPT_MS, ...options.retention }
  const { observer } = options
  const context: WriteContext = {
    ...{ name: randomUUID(), begin: beginWrites(database, observer), now, kept, rules: undefined },
    pruning: { owed: 0, atMs: 0 },
  }
  const commitBatch = committing(database, context)
  const listeners = new Set<() => void>()
  const known = new KnownKeys(database.short, { epoch: () => 0, keptMs: KEY_KEPT_MS })
  /** The disk of the database, at the last write. */
  let wasFull = false

  const wake = (): void => {
    for (const listener of listeners) listener()
  }
  const hear = (channel: string, sender: string): void => {
    if (channel === KEYS_CHANNEL) known.forget()
    else if (sender !== context.name) wake()
  }
  const notifications = await listen(database, options, hear).catch((error: unknown) => {
    clock?.close()
    throw error
  })
  const commit: QueueOptions['commit'] = async (writes, meanwhile) => {
    try {
      const { outcomes, hasDeliveries } = await commitBatch({ writes, ...meanwhile })
      wasFull = false
      if (hasDeliveries) wake()
      return outcomes
    } catch (error) {
      wasFull ||= isDiskFull(error)
      throw error
    }
  }
  const queue = openWriteQueue({ commit, isRepeatable: isPassing, observer })
  const close = async (): Promise<void> => {
    clock?.close()
    await notifications?.close()
    await database.close()
  }
  const own = (run: RunOperation): OwnStore => ({
    now,
    countRequests: (taken) => run(() => countRequests(database, taken)),
    checkWritable: () => run(() => checkWritable(database, wasFull)),
    giveUp: database.cut,
  })
  const whole = { ...database, transaction: transactionOf(database) }
  return sqlStore({ name: context.name, database: whole, kept, queue, known, listeners, own, close })
}

/** A change of rules has the row of `sequence`, as a write has. */
function transactionOf(database: PostgresDatabase): SqlDatabase['transaction'] {
  return (kind, work) => {
    if (kind !== 'rules') return database.transaction(kind, work)
    return writing(database, {}, work, async () => undefined)
  }
}

/** A standby has no notifications. */
async function listen(database: PostgresDatabase, { isOnlyRead }: StoreOptions, hear: Parameters<typeof listenTo>[2]) {
  return isOnlyRead ? undefined : listenTo(database, [DELIVERIES_CHANNEL, KEYS_CHANNEL], hear)
}

/** Rejects where nothing can be written: on a standby, with a full disk, while the database is away. */
async function checkWritable(database: PostgresDatabase, wasFull: boolean): Promise<void> {
  await database.begin('BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = 500', async (tx) => {
    await tx.run('UPDATE rate_windows SET taken = 0 WHERE false')
    if (wasFull) await tx.script(TAKE_ROOM)
  })
}

/** Takes 1 MiB of the disk until the end of the transaction: rows that are too short to be compressed. */
const TAKE_ROOM = `CREATE TEMPORARY TABLE crm_room (text text) ON COMMIT DROP;
  INSERT INTO crm_room SELECT repeat('x', 1900) FROM generate_series(1, 552)`

/**
 * Commits batches. When the answer to COMMIT is lost, the database is asked for the outcome: rejects with a passing failure when
 * nothing was written, and with CommitInDoubt when it cannot be known.
 */
function committing(database: PostgresDatabase, context: WriteContext) {
  /** Transactions so far. */
  let count = 0
  return async (waiting: WaitingWrites): Promise<BatchDone> => {
    let mark: CommitMark | undefined
    let decided: BatchDone | undefined
    try {
      return await commitWrites(context, waiting, (tx, done, isWritten) => {
        decided = done
        if (!isWritten) return
        mark = { writer: context.name, number: ++count }
        markCommit(tx, mark, Math.floor(context.now()))
      })
    } catch (error) {
      // What the batch has read of rules may not have been committed.
      context.rules = undefined
      if (!(error instanceof CommitInDoubt && decided)) throw error
      // Nothing was written, so that it is the same whether it was committed.
      if (!mark) return decided
      const outcome = await isCommitted(database, mark)
      if (outcome === true) return decided
      throw outcome === false ? databaseFailure(database.name, error.cause) : error
    }
  }
}

/**
 * A key has one row for each length of window; a window that begins replaces the one before. A request that comes late, from
 * another process at the turn of the window, counts in the new one. Returns the count before.
 */
async function countRequests(
  session: PostgresSession,
  { keyId, windowMs, window, count }: RequestCount,
): Promise<number> {
  const [taken = count] =
    (await session.get<[number]>(
      `INSERT INTO rate_windows (key_id, window_ms, number, taken) VALUES ($1, $2, $3, $4)
        ON CONFLICT (key_id, window_ms) DO UPDATE SET
          taken = excluded.taken
            + CASE WHEN rate_windows.number - excluded.number IN (0, 1) THEN rate_windows.taken ELSE 0 END,
          number = CASE rate_windows.number - excluded.number WHEN 1 THEN rate_windows.number ELSE excluded.number END
        RETURNING taken`,
      keyId,
      windowMs,
      window,
      count,
    )) ?? []
  return taken - count
}
