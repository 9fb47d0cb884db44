import { randomUUID } from 'node:crypto'
import { CrmError } from '../../../core/errors.ts'
import { KEPT_MS, type Store, type StoreOptions, type StoreWrite } from '../store.ts'
import { openWriteQueue } from '../write-queue.ts'
import { readAddress } from './address.ts'
import { addKeyUses, endKey, findKey, insertKey, KEYS_CHANNEL, readKeys, readKeyUses } from './api-keys.ts'
import { commitBatch } from './commit.ts'
import { type Database, openPool } from './database.ts'
import { takeTurn } from './deliveries.ts'
import { readBacklog, readLog } from './delivery-log.ts'
import { isPassing } from './failure.ts'
import { findAnswers, replayOf } from './idempotency.ts'
import { KnownKeys } from './known-keys.ts'
import { listenTo } from './notifications.ts'
import { prepareDatabase } from './open-database.ts'
import { findRecords, joinRecords, readDeals, readFiltered, readNotes, readRecords } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import { writing } from './sequence.ts'
import { readStats } from './stats.ts'
import { readUniqueMembers, replaceUniqueMembers } from './unique-members.ts'
import { DELIVERIES_CHANNEL, type WriteContext } from './write-batch.ts'

/** `openStore` for a database of PostgreSQL, which any number of processes may have open. */
export async function openPostgresStore(options: StoreOptions): Promise<Store> {
  const { address, env = {}, isCreated = true, isOnlyRead = false, observer } = options
  const database = openPool(readAddress(address, env), observer)
  try {
    await prepareDatabase(database, { isCreated, isOnlyRead })
    return await postgresStore(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function postgresStore(database: Database, { now, retention, observer }: StoreOptions): Promise<Store> {
  const kept = { ...KEPT_MS, ...retention }
  const name = randomUUID()
  const context: WriteContext = { name, database, now, kept, observer, rules: undefined }
  const listeners = new Set<() => void>()
  const knownKeys = new KnownKeys()
  let closing: Promise<void> | undefined

  const wake = (): void => {
    for (const listener of listeners) listener()
  }
  const notifications = await listenTo(database, [DELIVERIES_CHANNEL, KEYS_CHANNEL], (channel, sender) => {
    if (channel === KEYS_CHANNEL) knownKeys.forget()
    else if (sender !== name) wake()
  })
  const commit = async (writes: readonly StoreWrite[]) => {
    const { outcomes, hasDeliveries } = await commitBatch(context, writes)
    if (hasDeliveries) wake()
    return outcomes
  }
  const queue = openWriteQueue({ commit, isRepeatable: isPassing, observer })
  const nowMs = (): number => Math.floor(now())
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing) throw closed(database.name)
    return work()
  }
  const close = async (): Promise<void> => {
    await queue.drained()
    await notifications.close()
    await database.close()
  }
  return {
    page: (resource, query) => run(() => readRecords(database, resource, query)),
    joinedPage: (resource, query) => run(() => joinRecords(database, resource, query)),
    filteredPage: (resource, query, filters) => run(() => readFiltered(database, resource, query, filters)),
    deals: (query, filters) => run(() => readDeals(database, query, filters)),
    notes: (query) => run(() => readNotes(database, query)),
    records: (resource, ids) => run(() => findRecords(database, resource, ids)),
    replay: (idempotency) =>
      run(async () => {
        const keeping = { nowMs: nowMs(), answersMs: kept.answersMs }
        const answer = (await findAnswers(database, [idempotency.key], keeping)).get(idempotency.key)
        return answer && replayOf(answer, idempotency)
      }),
    write: (write) => (closing ? Promise.reject(closed(database.name)) : queue.add(write)),
    pipelines: () => run(() => readPipelines(database)),
    putPipelines: (pipelines) =>
      run(async () => {
        // Deals checked against the current stages must be written before stages are dropped.
        await queue.drained()
        await writing(database, [], async (tx) => {
          await replacePipelines(tx, pipelines)
          tx.atCommit('UPDATE sequence SET rules_version = rules_version + 1')
        })
      }),
    uniqueMembers: () => run(() => readUniqueMembers(database)),
    putUniqueMembers: (members) =>
      run(async () => {
        await queue.drained()
        return writing(database, [], async (tx) => {
          tx.atCommit('UPDATE sequence SET rules_version = rules_version + 1')
          return replaceUniqueMembers(tx, members)
        })
      }),
    findKey: (hash) => run(() => knownKeys.find(hash, () => findKey(database, hash))),
    keys: () => run(() => readKeys(database)),
    addKey: (key) => run(() => insertKey(database, key)),
    endKey: (id, end) =>
      run(async () => {
        await endKey(database, id, end)
        knownKeys.forget()
      }),
    addKeyUses: (uses) => run(() => addKeyUses(database, uses, nowMs())),
    keyUses: (query) => run(() => readKeyUses(database, query)),
    stats: () => run(() => readStats(database, nowMs())),
    checkWritable: () => run(() => checkWritable(database)),
    deliveries: {
      turn: (turn) => run(() => takeTurn(database, turn, { nowMs: nowMs(), kept }, { name })),
      backlog: () => run(() => readBacklog(database)),
      log: (webhookId, query) => run(() => readLog(database, webhookId, query)),
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

/** Rejects where nothing can be written: on a standby, with a full disk, while the database is away. */
async function checkWritable(database: Database): Promise<void> {
  await database.transaction('BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = 500', (tx) =>
    tx.run('UPDATE rate_windows SET taken = 0 WHERE false'),
  )
}

function closed(name: string): CrmError {
  return new CrmError('machine', `database ${name} is closed`, { hint: 'crm serve' })
}
