import { CrmError } from '../../../core/errors.ts'
import type { Store } from '../store.ts'
import { endKey, findKey, insertKey, readKeys } from './api-keys.ts'
import type { Connection } from './connection.ts'
import { takeTurn } from './deliveries.ts'
import { openDatabase } from './open-database.ts'
import { openOutbox } from './outbox.ts'
import { readContacts, readDeals } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import { storageFailure } from './storage-failure.ts'
import { commitWrites } from './write-batch.ts'
import { openWriteQueue } from './write-queue.ts'

export interface SqliteStoreOptions {
  /** Made when it is not there, and its folder too; `:memory:` keeps nothing. */
  readonly file: string
  readonly now: () => number
  /** False refuses a file that is not there. */
  readonly isCreated?: boolean
}

/** Throws a CrmError for a file that cannot be used. Several processes may have one file open. */
export async function openSqliteStore({ file, now, isCreated = true }: SqliteStoreOptions): Promise<Store> {
  return sqliteStore(openDatabase(file, isCreated), now)
}

/** Every call does its work at once, on this thread; promises are what the contract asks for. */
export function sqliteStore(db: Connection, now: () => number): Store {
  const outbox = openOutbox(db)
  let isClosed = false
  const guard = <T>(work: () => T): T => {
    if (isClosed) throw closed(db.file)
    try {
      return work()
    } catch (error) {
      throw storageFailure(db.file, error)
    }
  }
  const listeners = new Set<() => void>()
  const queue = openWriteQueue((writes) => {
    const outcomes = guard(() => commitWrites({ db, outbox, now }, writes))
    if (outbox.takeWritten()) for (const listener of listeners) listener()
    return outcomes
  })
  return {
    contacts: async (query) => guard(() => readContacts(db, query)),
    deals: async (query, filters) => guard(() => readDeals(db, query, filters)),
    write: (write) => (isClosed ? Promise.reject(closed(db.file)) : queue.add(write)),
    pipelines: async () => guard(() => readPipelines(db)),
    putPipelines: async (pipelines) => {
      // Deals that were decided with the stages of now are counted before these are dropped.
      queue.drain()
      guard(() => replacePipelines(db, pipelines))
    },
    findKey: async (hash) => guard(() => findKey(db, hash)),
    keys: async () => guard(() => readKeys(db)),
    addKey: async (key) => guard(() => insertKey(db, key)),
    endKey: async (id, end) => guard(() => endKey(db, id, end)),
    deliveries: {
      turn: async (turn) => guard(() => takeTurn(db, turn, Math.floor(now()))),
      onWritten: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    close: async () => {
      if (isClosed) return
      queue.drain()
      isClosed = true
      // The last process to close a file moves the write-ahead log into it; what fails to move stays in the log, safe.
      db.close()
    },
  }
}

function closed(file: string): CrmError {
  return new CrmError('machine', `database ${file} is closed`, { hint: 'crm serve' })
}
