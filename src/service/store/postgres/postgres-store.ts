import { randomUUID } from 'node:crypto'
import { CrmError } from '../../../core/errors.ts'
import { timeOfSerial } from '../../../core/ids.ts'
import { RECORD_RESOURCES, RESOURCES } from '../../../core/resources/registry.ts'
import type { RequestCount, Store } from '../store.ts'
import { KEPT_MS, type Retention, type StoreOptions } from '../store-options.ts'
import type { StoreStats } from '../store-stats.ts'
import { openWriteQueue, type QueueOptions, type WriteQueue } from '../write-queue.ts'
import { readAddress } from './address.ts'
import { addKeyUses, endKey, findKey, insertKey, KEYS_CHANNEL, readKeys, readKeyUses } from './api-keys.ts'
import { type Database, openPool, type Session, type Transaction } from './database.ts'
import { takeTurn } from './deliveries.ts'
import { readBacklog, readLog } from './delivery-log.ts'
import { CommitInDoubt, databaseFailure, isDiskFull, isPassing } from './failure.ts'
import { fixtureRuns } from './fixture-runs.ts'
import { readHistory } from './history.ts'
import { findAnswers, replayOf } from './idempotency.ts'
import { KnownKeys } from './known-keys.ts'
import { listenTo } from './notifications.ts'
import { prepareDatabase } from './open-database.ts'
import { findRecords, joinRecords, readDeals, readFiltered, readNotes, readRecords } from './pages.ts'
import { readPipelines, replacePipelines } from './pipelines.ts'
import { isCommitted, writing } from './sequence.ts'
import { followClock } from './shared-clock.ts'
import { readUniqueMembers, replaceUniqueMembers } from './unique-members.ts'
import { checkRights } from './whole-schema.ts'
import {
  type BatchDone,
  commitWrites,
  DELIVERIES_CHANNEL,
  FIRST_BATCH,
  type WaitingWrites,
  type WriteContext,
} from './write-batch.ts'

/** Every table of crm, with its indexes and long texts. */
const SIZE = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
  WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'sequence'::regclass)`

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

/** Runs an operation on an open store. */
type Run = <T>(work: () => Promise<T>) => Promise<T>

interface Opened {
  readonly database: Database
  readonly run: Run
  readonly now: () => number
  readonly kept: Retention
}

async function postgresStore(database: Database, options: StoreOptions): Promise<Store> {
  const clock = options.sharesClock ? await followClock(database, options.now) : undefined
  const now = clock?.now ?? options.now
  const kept = { ...KEPT_MS, ...options.retention }
  const { observer } = options
  const context: WriteContext = {
    ...{ name: randomUUID(), database, now, kept, observer, ...FIRST_BATCH },
    pruning: { owed: 0, atMs: 0 },
  }
  const listeners = new Set<() => void>()
  const knownKeys = new KnownKeys()
  let closing: Promise<void> | undefined
  /** The disk of the database, at the last write. */
  let wasFull = false

  const wake = (): void => {
    for (const listener of listeners) listener()
  }
  const hear = (channel: string, sender: string): void => {
    if (channel === KEYS_CHANNEL) knownKeys.forget()
    else if (sender !== context.name) wake()
  }
  const notifications = await listen(database, options, hear).catch((error: unknown) => {
    clock?.close()
    throw error
  })
  const commit: QueueOptions['commit'] = async (writes, meanwhile) => {
    try {
      const { outcomes, hasDeliveries } = await commitBatch(context, { writes, ...meanwhile })
      wasFull = false
      if (hasDeliveries) wake()
      return outcomes
    } catch (error) {
      wasFull ||= isDiskFull(error)
      throw error
    }
  }
  const queue = openWriteQueue({ commit, isRepeatable: isPassing, observer })
  const run: Run = async (work) => {
    if (closing) throw closed(database.name)
    return work()
  }
  const close = async (): Promise<void> => {
    await queue.drained()
    clock?.close()
    await notifications?.close()
    await database.close()
  }
  const opened = { database, run, now, kept }
  return {
    ...reads(opened),
    ...rules(opened, queue),
    ...keys(opened, knownKeys),
    write: (write) => (closing ? Promise.reject(closed(database.name)) : queue.add(write)),
    now,
    countRequests: (taken) => run(() => countRequests(database, taken)),
    stats: () => run(() => readStats(database, Math.floor(now()))),
    checkWritable: () => run(() => checkWritable(database, wasFull)),
    deliveries: {
      turn: (turn) => run(() => takeTurn(database, turn, { nowMs: Math.floor(now()), kept }, context)),
      backlog: () => run(() => readBacklog(database)),
      log: (webhookId, query) => run(() => readLog(database, webhookId, query)),
      onWritten: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    fixtureRuns: fixtureRuns(database, run, now),
    giveUp: database.cut,
    close: async () => {
      closing ??= close()
      await closing
    },
  }
}

/** A standby has no notifications. */
async function listen(database: Database, { isOnlyRead }: StoreOptions, hear: Parameters<typeof listenTo>[2]) {
  return isOnlyRead ? undefined : listenTo(database, [DELIVERIES_CHANNEL, KEYS_CHANNEL], hear)
}

function reads({ database, run, now, kept }: Opened) {
  return {
    page: (resource, query) => run(() => readRecords(database.short, resource, query)),
    joinedPage: (resource, query) => run(() => joinRecords(database.short, resource, query)),
    filteredPage: (resource, query, filters) => run(() => readFiltered(database, resource, query, filters)),
    deals: (query, filters) => run(() => readDeals(database, query, filters)),
    notes: (query) => run(() => readNotes(database, query)),
    records: (resource, ids) => run(() => findRecords(database.short, resource, ids)),
    history: (query) => run(() => readHistory(database, query)),
    replay: (idempotency) =>
      run(async () => {
        const keeping = { nowMs: Math.floor(now()), answersMs: kept.answersMs }
        const answer = (await findAnswers(database.short, [idempotency.key], keeping)).get(idempotency.key)
        return answer && replayOf(answer, idempotency)
      }),
  } satisfies Partial<Store>
}

/** Writes that were checked against the current rules are written before these change. */
function rules({ database, run }: Opened, queue: Pick<WriteQueue, 'drained'>) {
  const change = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    run(async () => {
      await queue.drained()
      const inside = (tx: Transaction): Promise<T> => {
        tx.atCommit('UPDATE sequence SET rules_version = rules_version + 1')
        return work(tx)
      }
      return writing(database, {}, inside, async () => undefined)
    })
  return {
    pipelines: () => run(() => readPipelines(database)),
    putPipelines: (pipelines) => change((tx) => replacePipelines(tx, pipelines)),
    uniqueMembers: () => run(() => readUniqueMembers(database)),
    putUniqueMembers: (members) => change((tx) => replaceUniqueMembers(tx, members)),
  } satisfies Partial<Store>
}

function keys({ database, run, now }: Opened, known: KnownKeys) {
  return {
    findKey: (hash) => run(() => known.find(hash, () => findKey(database.short, hash))),
    keys: () => run(() => readKeys(database)),
    addKey: (key) => run(() => insertKey(database, key)),
    endKey: (id, end) =>
      run(async () => {
        await endKey(database, id, end)
        known.forget()
      }),
    addKeyUses: (uses) => run(() => addKeyUses(database, uses, Math.floor(now()))),
    keyUses: (query) => run(() => readKeyUses(database, query)),
  } satisfies Partial<Store>
}

/** Rejects where nothing can be written: on a standby, with a full disk, while the database is away. */
async function checkWritable(database: Database, wasFull: boolean): Promise<void> {
  await database.transaction('BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = 500', async (tx) => {
    await tx.run('UPDATE rate_windows SET taken = 0 WHERE false')
    if (wasFull) await tx.script(TAKE_ROOM)
  })
}

/** Takes 1 MiB of the disk until the end of the transaction: rows that are too short to be compressed. */
const TAKE_ROOM = `CREATE TEMPORARY TABLE crm_room (text text) ON COMMIT DROP;
  INSERT INTO crm_room SELECT repeat('x', 1900) FROM generate_series(1, 552)`

function closed(name: string): CrmError {
  return new CrmError('machine', `database ${name} is closed`, { hint: 'crm serve' })
}

/**
 * Commits a batch. When the answer to COMMIT is lost, the database is asked for the outcome: rejects with a passing failure when
 * nothing was written, and with CommitInDoubt when it cannot be known.
 */
async function commitBatch(context: WriteContext, waiting: WaitingWrites): Promise<BatchDone> {
  const { database } = context
  let decided: BatchDone | undefined
  try {
    return await commitWrites(context, waiting, (done) => {
      decided = done
    })
  } catch (error) {
    // What the batch has read of rules may not have been committed.
    context.rules = undefined
    if (!(error instanceof CommitInDoubt && decided)) throw error
    if (!decided.mark) return decided
    const outcome = await isCommitted(database, decided.mark)
    if (outcome === true) return decided
    throw outcome === false ? databaseFailure(database.name, error.cause) : error
  }
}

/**
 * A key has one row for each length of window; a window that begins replaces the one before. A request that comes late, from
 * another process at the turn of the window, counts in the new one. Returns the count before.
 */
async function countRequests(session: Session, { keyId, windowMs, window, count }: RequestCount): Promise<number> {
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

async function readStats(session: Session, nowMs: number): Promise<StoreStats> {
  const numberOf = async (sql: string, ...values: number[]): Promise<number> =>
    (await session.get<[number]>(sql, ...values))?.[0] ?? 0
  const records: [string, number][] = []
  for (const resource of RECORD_RESOURCES) {
    records.push([resource, await numberOf(`SELECT count(*) FROM ${RESOURCES[resource].plural}`)])
  }
  const webhooks = (status: string): string =>
    `SELECT count(*) FROM webhooks WHERE text::json ->> 'status' = '${status}'`
  const [oldestHistory] = (await session.get<[number]>('SELECT id FROM history ORDER BY id LIMIT 1')) ?? []
  const { open, failing, oldestEventMs } = await readBacklog(session)
  return {
    records: Object.fromEntries(records) as StoreStats['records'],
    pipelines: await numberOf('SELECT count(*) FROM pipelines'),
    enabledWebhooks: await numberOf(webhooks('enabled')),
    disabledWebhooks: await numberOf(webhooks('disabled')),
    liveKeys: await numberOf(
      `SELECT count(*) FROM api_keys
        WHERE coalesce(revoked_at_ms, $1::bigint + 1) > $1 AND coalesce(expires_at_ms, $1::bigint + 1) > $1`,
      nowMs,
    ),
    openDeliveries: open,
    failingDeliveries: failing,
    oldestOpenEventMs: oldestEventMs,
    idempotencyKeys: await numberOf('SELECT count(*) FROM idempotency'),
    historyEntries: await numberOf('SELECT count(*) FROM history'),
    oldestHistoryMs: oldestHistory === undefined ? undefined : timeOfSerial(oldestHistory),
    fixtureRuns: await numberOf('SELECT count(*) FROM fixture_runs WHERE is_ended = 0'),
    sizeBytes: await numberOf(SIZE),
  }
}
