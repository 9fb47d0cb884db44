import { statfsSync } from 'node:fs'
import { CrmError } from '../../../core/errors.ts'
import type { Store, StoreOptions } from '../store.ts'
import { endKey, findKey, insertKey, readKeys } from './api-keys.ts'
import type { Connection } from './connection.ts'
import { takeTurn } from './deliveries.ts'
import { readLog } from './delivery-log.ts'
import { findReplay } from './idempotency.ts'
import { addKeyUses, readKeyUses } from './key-uses.ts'
import { LOCK_WAIT_MS, whenUnlocked } from './lock-wait.ts'
import { readNotes } from './notes.ts'
import { openDatabase } from './open-database.ts'
import { openOutbox } from './outbox.ts'
import { joinRecords, readDeals, readRecords } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import { openToRead } from './read-database.ts'
import { findRecords } from './records.ts'
import { readStats } from './stats.ts'
import { storageFailure } from './storage-failure.ts'
import { inQuickTransaction } from './transaction.ts'
import { readUniqueMembers, replaceUniqueMembers } from './unique-members.ts'
import { commitWrites } from './write-batch.ts'
import { openWriteQueue } from './write-queue.ts'

/** What a commit of some large records takes; a probe of one page may still fit where they do not. */
const NEEDED_BYTES = 1024 * 1024

/** Whoever asks more often than this, which needs no key, makes no more writes. */
const BELIEVED_MS = 1000

/** A probe that waits as long as a write would be given up by whoever asks. */
const PROBE_WAIT_MS = 500

/** `openStore` for a file of SQLite. */
export async function openSqliteStore(options: StoreOptions): Promise<Store> {
  const { address, now, isCreated = true, isOnlyRead = false } = options
  return sqliteStore(isOnlyRead ? openToRead(address) : openDatabase(address, isCreated), now)
}

/**
 * Every call does its work at once, on this thread, and reads go on while another process writes. What finds the
 * database locked by one waits for it without keeping the thread.
 */
export function sqliteStore(db: Connection, now: () => number): Store {
  const outbox = openOutbox(db)
  const checkWritable = writableCheck(db)
  let closing: Promise<void> | undefined
  const guard = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw storageFailure(db.file, error)
    }
  }
  const run = <T>(work: () => T, waitMs: number = LOCK_WAIT_MS): Promise<T> =>
    whenUnlocked(() => {
      if (closing) throw closed(db.file)
      return guard(work)
    }, waitMs)
  const listeners = new Set<() => void>()
  const queue = openWriteQueue((writes) => {
    const outcomes = guard(() => commitWrites({ db, outbox, now }, writes))
    if (outbox.takeWritten()) for (const listener of listeners) listener()
    return outcomes
  })
  const close = async (): Promise<void> => {
    await queue.drained()
    // The last process to close a file moves the write-ahead log into it; what fails to move stays in the log, safe.
    db.close()
  }
  return {
    page: (resource, query) => run(() => readRecords(db, resource, query)),
    joinedPage: (resource, query) => run(() => joinRecords(db, resource, query)),
    deals: (query, filters) => run(() => readDeals(db, query, filters)),
    notes: (query) => run(() => readNotes(db, query)),
    records: (kind, ids) => run(() => findRecords(db, kind, ids)),
    replay: (idempotency) => run(() => findReplay(db, idempotency, Math.floor(now()))),
    write: (write) => (closing ? Promise.reject(closed(db.file)) : queue.add(write)),
    pipelines: () => run(() => readPipelines(db)),
    putPipelines: async (pipelines) => {
      // Deals that were decided with the stages of now are counted before these are dropped.
      await queue.drained()
      await run(() => replacePipelines(db, pipelines))
    },
    uniqueMembers: () => run(() => readUniqueMembers(db)),
    putUniqueMembers: async (members) => {
      await queue.drained()
      return run(() => replaceUniqueMembers(db, members))
    },
    findKey: (hash) => run(() => findKey(db, hash)),
    keys: () => run(() => readKeys(db)),
    addKey: (key) => run(() => insertKey(db, key)),
    endKey: (id, end) => run(() => endKey(db, id, end)),
    addKeyUses: (uses) => run(() => addKeyUses(db, uses, Math.floor(now()))),
    keyUses: (query) => run(() => readKeyUses(db, query)),
    stats: () => run(() => readStats(db, Math.floor(now()))),
    checkWritable: () => run(checkWritable, PROBE_WAIT_MS),
    deliveries: {
      turn: (turn) => run(() => takeTurn(db, turn, Math.floor(now()))),
      log: (webhookId, query) => run(() => readLog(db, webhookId, query)),
      onWritten: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    close: async () => {
      closing ??= close()
      await closing
    },
  }
}

function closed(file: string): CrmError {
  return new CrmError('machine', `database ${file} is closed`, { hint: 'crm serve' })
}

/** A check that throws what stands in the way of a write: the disk, or another process that holds the lock. */
function writableCheck(db: Connection): () => void {
  let believedUntilMs = 0
  return () => {
    if (performance.now() < believedUntilMs) return
    if (db.file !== ':memory:') checkSpace(db.file)
    inQuickTransaction(db, () => db.run('UPDATE sequence SET last_serial = last_serial'))
    believedUntilMs = performance.now() + BELIEVED_MS
  }
}

function checkSpace(file: string): void {
  const { bavail, bsize } = statfsSync(file)
  if (bavail * bsize >= NEEDED_BYTES) return
  throw new CrmError('machine', `database ${file} has less than 1 MiB of disk left`, { hint: 'free some space' })
}
