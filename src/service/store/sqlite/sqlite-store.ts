import { statfsSync } from 'node:fs'
import { CrmError } from '../../../core/errors.ts'
import type { ApiKey, Store, StoreWrite } from '../store.ts'
import { KEPT_MS, type StoreOptions } from '../store-options.ts'
import { openWriteQueue } from '../write-queue.ts'
import { addKeyUses, endKey, findKey, insertKey, readKeys, readKeyUses } from './api-keys.ts'
import { type Connection, inQuickTransaction } from './connection.ts'
import { takeTurn } from './deliveries.ts'
import { readBacklog, readLog } from './delivery-log.ts'
import { fixtureRuns } from './fixture-runs.ts'
import { readHistory } from './history.ts'
import { findReplay } from './idempotency.ts'
import { openDatabase } from './open-database.ts'
import { openOutbox } from './outbox.ts'
import { joinRecords, readDeals, readFiltered, readNotes, readRecords } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import { openToRead, readStats } from './read-database.ts'
import { findRecords } from './records.ts'
import { isLockedOut, storageFailure, whenUnlocked } from './storage-failure.ts'
import { readUniqueMembers, replaceUniqueMembers } from './unique-members.ts'
import { commitWrites } from './write-batch.ts'

/** Beyond this number all are dropped: there are few keys. */
const MAX_KEYS = 10_000

/**
 * The keys of the last requests, kept until the database changed. Whether another process changed it is asked once per turn of
 * the event loop, so a key that is revoked elsewhere stops with the next turn.
 */
class KnownKeys {
  readonly #db: Connection
  readonly #keys = new Map<string, ApiKey>()
  #dataVersion: number | undefined
  #isCurrent = false

  constructor(db: Connection) {
    this.#db = db
  }

  find(hash: string): ApiKey | undefined {
    if (!this.#isCurrent) this.#refresh()
    const known = this.#keys.get(hash)
    if (known) return known
    const key = findKey(this.#db, hash)
    if (!key) return undefined
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    this.#keys.set(hash, key)
    return key
  }

  /** Changes keys in this process, which PRAGMA data_version does not show. */
  changing<T>(change: () => T): T {
    this.#keys.clear()
    return change()
  }

  #refresh(): void {
    // Changes only when another connection commits: https://sqlite.org/pragma.html#pragma_data_version
    const [current] = this.#db.get<[number]>('PRAGMA data_version') ?? []
    if (current !== this.#dataVersion) this.#keys.clear()
    this.#dataVersion = current
    this.#isCurrent = true
    setImmediate(() => {
      this.#isCurrent = false
    })
  }
}

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

/**
 * Every call runs synchronously on this thread. Reads continue while another process writes. A call that finds the database
 * locked waits without blocking the thread.
 */
export function sqliteStore(
  db: Connection,
  { now, retention, observer }: Pick<StoreOptions, 'now' | 'retention' | 'observer'>,
): Store {
  const kept = { ...KEPT_MS, ...retention }
  const outbox = openOutbox(db)
  const known = new KnownKeys(db)
  const checkWritable = writableCheck(db)
  let closing: Promise<void> | undefined
  const guard = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw storageFailure(db.file, error)
    }
  }
  const onWaited = observer && ((ms: number) => observer.lockWait(ms))
  const run = <T>(work: () => T, waitMs?: number): Promise<T> =>
    whenUnlocked(
      () => {
        if (closing) throw closed(db.file)
        return guard(work)
      },
      { waitMs, onWaited },
    )
  const listeners = new Set<() => void>()
  const commit = (writes: readonly StoreWrite[]) => {
    const outcomes = guard(() => commitWrites({ db, outbox, now, kept }, writes))
    if (outbox.takeWritten()) for (const listener of listeners) listener()
    return outcomes
  }
  const queue = openWriteQueue({ commit, isRepeatable: isLockedOut, observer })
  const afterWrites = <T>(work: () => T): Promise<T> => queue.drained().then(() => run(work))
  return {
    page: (resource, query) => run(() => readRecords(db, resource, query)),
    joinedPage: (resource, query) => run(() => joinRecords(db, resource, query)),
    filteredPage: (resource, query, filters) => run(() => readFiltered(db, resource, query, filters)),
    deals: (query, filters) => run(() => readDeals(db, query, filters)),
    notes: (query) => run(() => readNotes(db, query)),
    records: (resource, ids) => run(() => findRecords(db, resource, ids)),
    history: (query) => run(() => readHistory(db, query)),
    replay: (idempotency) =>
      run(() => findReplay(db, idempotency, { nowMs: Math.floor(now()), answersMs: kept.answersMs })),
    write: (write) => (closing ? Promise.reject(closed(db.file)) : queue.add(write)),
    pipelines: () => run(() => readPipelines(db)),
    // Deals checked against the current stages must be written before stages are dropped.
    putPipelines: (pipelines) => afterWrites(() => replacePipelines(db, pipelines)),
    uniqueMembers: () => run(() => readUniqueMembers(db)),
    putUniqueMembers: (members) => afterWrites(() => replaceUniqueMembers(db, members)),
    findKey: (hash) => run(() => known.find(hash)),
    keys: () => run(() => readKeys(db)),
    addKey: (key) => run(() => insertKey(db, key)),
    endKey: (id, end) => run(() => known.changing(() => endKey(db, id, end))),
    addKeyUses: (uses) => run(() => known.changing(() => addKeyUses(db, uses, Math.floor(now())))),
    keyUses: (query) => run(() => readKeyUses(db, query)),
    now,
    stats: () => run(() => readStats(db, Math.floor(now()))),
    checkWritable: () => run(checkWritable, PROBE_WAIT_MS),
    deliveries: {
      turn: (turn) => run(() => takeTurn(db, turn, { nowMs: Math.floor(now()), kept })),
      backlog: () => run(() => readBacklog(db)),
      log: (webhookId, query) => run(() => readLog(db, webhookId, query)),
      onWritten: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    fixtureRuns: fixtureRuns(db, run, now),
    close: () => {
      // The last process to close the file checkpoints the write-ahead log; after a failure the data stays in the log.
      closing ??= queue.drained().then(() => db.close())
      return closing
    },
  }
}

function closed(file: string): CrmError {
  return new CrmError('machine', `database ${file} is closed`, { hint: 'crm serve' })
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
