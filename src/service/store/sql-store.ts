import { CrmError } from '../../core/errors.ts'
import { addKeyUses, endKey, insertKey, type KnownKeys, readKeys, readKeyUses } from './api-keys.ts'
import { readBacklog, readLog } from './delivery-log.ts'
import { takeTurn } from './delivery-turn.ts'
import { fixtureRuns } from './fixture-runs.ts'
import { readHistory } from './history.ts'
import { findAnswers, replayOf } from './idempotency.ts'
import { findRecords, joinRecords, readNotes, readRecords } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import type { SqlDatabase, Transaction } from './sql.ts'
import type { Store } from './store.ts'
import type { Retention } from './store-options.ts'
import { readStats } from './store-stats.ts'
import { putObjects } from './stored-objects.ts'
import { readUniqueMembers, replaceUniqueMembers } from './unique-members.ts'
import type { WriteQueue } from './write-queue.ts'

/** Runs an operation on an open store. */
export type RunOperation = <T>(work: () => Promise<T>) => Promise<T>

/** The channel on which processes tell one another that a key has changed. */
export const KEYS_CHANNEL = 'crm_keys'

/** What a database does in its own way. */
export type OwnStore = Pick<Store, 'now' | 'countRequests' | 'checkWritable' | 'giveUp'>

interface StoreParts {
  /** Differs from those of all other open stores. */
  readonly name: string
  readonly database: SqlDatabase
  readonly kept: Retention
  readonly queue: WriteQueue
  readonly known: KnownKeys
  /** Called after each commit that wrote deliveries. */
  readonly listeners: Set<() => void>
  own(run: RunOperation): OwnStore
  /** Called when no write waits. */
  close(): Promise<void>
}

/** A store of statements that both databases understand. */
export function sqlStore({ name, database, kept, queue, known, listeners, own, close }: StoreParts): Store {
  let closing: Promise<void> | undefined
  const run: RunOperation = async (work) => {
    if (closing) throw closed(database.name)
    return work()
  }
  // After the writes that were checked against the current rules.
  const change = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    await queue.drained()
    return run(() =>
      database.transaction('rules', async (tx) => {
        const result = await work(tx)
        tx.later('UPDATE sequence SET rules_version = rules_version + 1')
        return result
      }),
    )
  }
  const { short } = database
  const store = own(run)
  return {
    ...store,
    page: (resource, query, filters) => run(() => readRecords(filters ? database : short, resource, query, filters)),
    joinedPage: (resource, query) => run(() => joinRecords(short, resource, query)),
    notes: (query) => run(() => readNotes(database, query)),
    records: (resource, ids) => run(() => findRecords(short, resource, ids)),
    history: (query) => run(() => readHistory(database, query)),
    replay: (idempotency) =>
      run(async () => {
        const keptSinceMs = Math.floor(store.now()) - kept.answersMs
        const answer = (await findAnswers(short, [idempotency.key], keptSinceMs)).get(idempotency.key)
        return answer && !answer.isExpired ? replayOf(answer, idempotency) : undefined
      }),
    write: (write) => (closing ? Promise.reject(closed(database.name)) : queue.add(write)),
    pipelines: () => run(() => readPipelines(database)),
    putPipelines: (pipelines) => change((tx) => replacePipelines(tx, pipelines)),
    uniqueMembers: () => run(() => readUniqueMembers(database)),
    putObjects: (objects) => change((tx) => putObjects(tx, objects)),
    putUniqueMembers: (members) => change((tx) => replaceUniqueMembers(tx, members)),
    findKey: (hash) => run(() => known.find(hash)),
    keys: () => run(() => readKeys(database)),
    addKey: (key) => run(() => insertKey(database, key)),
    endKey: (id, end) =>
      run(async () => {
        await database.transaction('durable', async (tx) => {
          await endKey(tx, id, end)
          tx.notify(KEYS_CHANNEL)
        })
        known.forget()
      }),
    addKeyUses: (uses) =>
      run(async () => {
        await addKeyUses(database, uses, Math.floor(store.now()))
        known.forget()
      }),
    keyUses: (query) => run(() => readKeyUses(database, query)),
    stats: () => run(() => readStats(database, Math.floor(store.now()))),
    deliveries: {
      turn: (turn) => run(() => takeTurn(database, turn, { nowMs: Math.floor(store.now()), kept }, { name })),
      backlog: () => run(() => readBacklog(database)),
      log: (webhookId, query) => run(() => readLog(database, webhookId, query)),
      onWritten: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    fixtureRuns: fixtureRuns(database, run, store.now),
    close: () => {
      closing ??= queue.drained().then(close)
      return closing
    },
  }
}

function closed(name: string): CrmError {
  return new CrmError('machine', `database ${name} is closed`, { hint: 'crm serve' })
}
