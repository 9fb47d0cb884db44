import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { CrmError } from '../../../core/errors.ts'
import { KnownKeys } from '../api-keys.ts'
import { type OwnStore, type RunOperation, sqlStore } from '../sql-store.ts'
import type { Store } from '../store.ts'
import { KEPT_MS, type StoreOptions } from '../store-options.ts'
import { type BeginWrites, commitWrites, type WriteContext } from '../write-batch.ts'
import { openWriteQueue, type QueueOptions } from '../write-queue.ts'
import { type Connection, inQuickTransaction } from './connection.ts'
import { openDatabase, openToRead } from './open-database.ts'
import { type SqliteDatabase, sqlDatabase } from './sql-database.ts'
import { isLockedOut } from './storage-failure.ts'

/** Enough for a commit of several large records; a probe of one page needs less. */
const NEEDED_BYTES = 1024 * 1024

/** How long the result of a probe is reused, as probes need no key. */
const PROBE_REUSED_MS = 1000

/** Shorter than the wait of a write, so that a probe answers in time. */
const PROBE_WAIT_MS = 500

/** `openStore` for a file of SQLite. */
export async function openSqliteStore(options: StoreOptions): Promise<Store> {
  const { address, isCreated = true, isOnlyRead = false } = options
  return sqliteStore(isOnlyRead ? openToRead(address) : openDatabase(address, isCreated), options)
}

/** Reads continue while another process writes. A call that finds the database locked waits without blocking the thread. */
export function sqliteStore(
  db: Connection,
  { now, retention, observer }: Pick<StoreOptions, 'now' | 'retention' | 'observer'>,
): Store {
  const kept = { ...KEPT_MS, ...retention }
  const database = sqlDatabase(db, observer && ((ms) => observer.lockWait(ms)))
  // Another process's change of a key counts with the next turn of the event loop, and keys are asked for no more often.
  const known = new KnownKeys(database.short, { epoch: versionOfTurn(db), keptMs: Number.POSITIVE_INFINITY })
  const checkWritable = writableCheck(db)
  const listeners = new Set<() => void>()
  const context: WriteContext = {
    ...{ name: randomUUID(), begin: beginWrites(database), now, kept, rules: undefined },
    pruning: { owed: 0, atMs: 0 },
  }
  const commit: QueueOptions['commit'] = async (writes, meanwhile) => {
    try {
      const { outcomes, hasDeliveries } = await commitWrites(context, { writes, ...meanwhile })
      if (hasDeliveries) for (const listener of listeners) listener()
      return outcomes
    } catch (error) {
      context.rules = undefined
      throw error
    }
  }
  const queue = openWriteQueue({ commit, isRepeatable: isLockedOut, observer })
  const own = (run: RunOperation): OwnStore => ({
    now,
    checkWritable: () => run(() => database.alone(checkWritable, PROBE_WAIT_MS)),
  })
  const close = async (): Promise<void> => {
    // What is under way needs no other turn of the event loop.
    await setImmediate()
    // The last process to close the file checkpoints the write-ahead log; after a failure the data stays in the log.
    await database.alone(() => db.close())
  }
  return sqlStore({ name: context.name, database, kept, queue, known, listeners, own, close })
}

/** Locks the file. */
function beginWrites(database: SqliteDatabase): BeginWrites {
  return ({ writes }, read, work) =>
    database.attempt('durable', async (tx) => {
      const [lastSerial, rulesVersion] = (await tx.get<[number, number]>(
        'SELECT last_serial, rules_version FROM sequence',
      )) ?? [0, 0]
      const group = { writes, isBusy: () => false, read: await read(tx, writes) }
      return work(tx, { lastSerial, rulesVersion, groups: [group] })
    })
}

/** What changes when another connection commits (https://sqlite.org/pragma.html#pragma_data_version), asked once per turn of the event loop. */
function versionOfTurn(db: Connection): () => number {
  let current: number | undefined
  return () => {
    if (current === undefined) {
      current = db.get<[number]>('PRAGMA data_version')?.[0] ?? 0
      void setImmediate().then(() => {
        current = undefined
      })
    }
    return current
  }
}

/** A check that throws when a write is impossible: the disk is full, or another process holds the lock. */
function writableCheck(db: Connection): () => void {
  let reusedUntilMs = 0
  return () => {
    if (performance.now() < reusedUntilMs) return
    if (db.file !== ':memory:') checkSpace(db.file)
    inQuickTransaction(db, () => db.run('UPDATE sequence SET last_serial = last_serial'))
    reusedUntilMs = performance.now() + PROBE_REUSED_MS
  }
}

function checkSpace(file: string): void {
  const { bavail, bsize } = statfsSync(file)
  if (bavail * bsize >= NEEDED_BYTES) return
  throw new CrmError('machine', `database ${file} has less than 1 MiB of disk left`, { hint: 'free some space' })
}
