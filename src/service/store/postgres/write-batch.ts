import { decodeId, encodeId, timeOfSerial } from '../../../core/ids.ts'
import { checkChange, tookEffect } from '../change-rules.ts'
import { findDelivery } from '../delivery-log.ts'
import { pruneStatement } from '../history.ts'
import type { RecordChange, StoreWrite, WriteState } from '../store.ts'
import type { Retention, StoreObserver } from '../store-options.ts'
import type { BatchOutcome, Meanwhile } from '../write-queue.ts'
import type { Batch } from './batch.ts'
import { hashesOf, keysOf, usesBusyKey, watchBusyKeys } from './busy-keys.ts'
import type { PostgresDatabase, PostgresSession, PostgresTransaction } from './database.ts'
import { findAnswers, type Keeping, type KeptAnswer, keepAnswers, pruneAnswers, replayOf } from './idempotency.ts'
import { PendingEvents } from './pending-events.ts'
import { PendingHistory } from './pending-history.ts'
import { PendingRecords, readKnown } from './pending-records.ts'
import { PendingUnique } from './pending-unique.ts'
import { type Rules, readRules } from './rules.ts'
import { type CommitMark, holdKeys, markCommit, Serials, type Writing, writing } from './sequence.ts'
import { applyChange } from './write-change.ts'

export interface WriteContext {
  /** A UUID of this store, which ignores its own notifications. */
  readonly name: string
  readonly database: PostgresDatabase
  readonly now: () => number
  readonly kept: Pick<Retention, 'answersMs' | 'historyMs'>
  readonly observer: StoreObserver | undefined
  /** As of the last batch. */
  rules: Rules | undefined
  /** Transactions so far. */
  commitCount: number
  /** When expired answers are looked for again. */
  pruneAtMs: number
  /** Entries of the history that writes have still to delete, and when some were last deleted. */
  readonly pruning: { owed: number; atMs: number }
}

export const FIRST_BATCH = { rules: undefined, commitCount: 0, pruneAtMs: 0 }

export interface WaitingWrites extends Meanwhile {
  readonly writes: readonly StoreWrite[]
}

export interface BatchDone {
  /** Undefined: nothing was written, so that it is the same whether it was committed. */
  readonly mark: CommitMark | undefined
  readonly outcomes: readonly BatchOutcome[]
  readonly hasDeliveries: boolean
}

/** The channel on which processes tell one another that deliveries were written. */
export const DELIVERIES_CHANNEL = 'crm_deliveries'

const KEY_IN_USE: BatchOutcome = { result: { type: 'key_in_use' } }

/** More than a write adds, so that pruning catches up, and few enough to be fast. */
const PRUNED_PER_WRITE = 2

/** After all expired answers were deleted. */
const PRUNE_AGAIN_MS = 1000

/**
 * Commits the writes in order in one transaction; each sees the changes of the earlier ones. `decided` receives what COMMIT will
 * make true, so that it is known when the answer to COMMIT is lost.
 */
export function commitWrites(
  context: WriteContext,
  { writes: first, ...meanwhile }: WaitingWrites,
  decided: (done: BatchDone) => void,
): Promise<BatchDone> {
  const read = (tx: PostgresSession) => readExisting(tx, first, keepingOf(context))
  const watch = watchBusyKeys(context.database, first, meanwhile)
  const work = async (tx: PostgresTransaction, state: Writing, found: Existing): Promise<BatchDone> => {
    watch.end()
    if (state.waitedMs !== undefined) context.observer?.lockWait(state.waitedMs)
    const keeping = keepingOf(context)
    // While it waited for another process, more writes have come, which need not wait again.
    const more = state.waitedMs === undefined ? [] : meanwhile.takeMore()
    const writes = [...first, ...more]
    const added = more.length === 0 ? undefined : await readMore(tx, more, keeping)
    const existing = added ? merged(found, added) : found
    const batch = await openBatch(context, { tx, state, clockMs: keeping.nowMs, writes, records: existing.records })
    const answers = new Answers(existing.answers)
    const outcomes = [
      ...(await applyAll(batch, answers, { writes: first, busy: state.busy })),
      // A key that was busy at the begin may be free for a write that has joined.
      ...(await applyAll(batch, answers, { writes: more, busy: added?.busy })),
    ]
    await batch.flush()
    answers.flush(tx, keeping)
    prune(context, tx, { count: writes.length * PRUNED_PER_WRITE, keeping })
    pruneHistory(context, tx, writes.length)
    finish(context, batch, state)
    const mark = markWritten(context, tx, { outcomes, nowMs: keeping.nowMs })
    const done = { outcomes, mark, hasDeliveries: batch.events.isWritten }
    decided(done)
    return done
  }
  const { onBegun } = watch
  return writing(context.database, { keys: hashesOf(first), onBegun }, work, read).finally(watch.end)
}

function keepingOf({ now, kept }: WriteContext): Keeping {
  return { nowMs: Math.floor(now()), answersMs: kept.answersMs }
}

/** What a batch changes or answers again. */
interface Existing {
  readonly answers: ReadonlyMap<string, KeptAnswer>
  readonly records: Awaited<ReturnType<typeof readKnown>>
}

async function readExisting(
  session: PostgresSession,
  writes: readonly StoreWrite[],
  keeping: Keeping,
): Promise<Existing> {
  const keys = keysOf(writes)
  const named = writes.flatMap(({ resource, id, parent }) => [
    ...(id === undefined ? [] : [{ resource, id }]),
    ...(parent ? [parent] : []),
  ])
  const [answers, records] = await Promise.all([
    keys.length === 0 ? new Map<string, KeptAnswer>() : findAnswers(session, keys, keeping),
    readKnown(session, named),
  ])
  return { answers, records }
}

/** Of writes that were added when the row was locked; `busy` as in `Writing`. */
async function readMore(tx: PostgresTransaction, more: readonly StoreWrite[], keeping: Keeping) {
  const [busy, existing] = await Promise.all([holdKeys(tx, hashesOf(more)), readExisting(tx, more, keeping)])
  return { ...existing, busy: new Set(busy) }
}

function merged(one: Existing, other: Existing): Existing {
  return {
    answers: new Map([...one.answers, ...other.answers]),
    records: new Map([...one.records, ...other.records]),
  }
}

async function openBatch(
  context: WriteContext,
  given: Pick<Batch, 'tx' | 'clockMs'> & Pick<Existing, 'records'> & { state: Writing; writes: readonly StoreWrite[] },
): Promise<Batch> {
  const { tx, state, clockMs, writes } = given
  if (context.rules?.version !== state.rulesVersion) context.rules = await readRules(tx, state.rulesVersion)
  const records = new PendingRecords(tx, given.records)
  const events = new PendingEvents(tx)
  const unique = new PendingUnique(tx, context.rules.uniqueMembers)
  const changed = new Set(writes.flatMap(({ id }) => (id === undefined ? [] : [id])))
  if (context.rules.hasSubscribers) await events.holdLines([...changed])
  const batch: Batch = {
    history: new PendingHistory(tx, context.kept.historyMs > 0),
    ...{ tx, clockMs, records, events, unique, rules: context.rules, areRulesChanged: false },
    serials: new Serials(state.lastSerial, context.now),
    flush: async () => {
      batch.history.flush()
      records.flush()
      unique.flush()
      await events.flush(clockMs)
    },
  }
  // What is unique is found for all at once: what a write decides here is not used.
  await unique.load(writes, (write) => stateOf(batch, new Serials(state.lastSerial, context.now), write))
  return batch
}

async function applyAll(
  batch: Batch,
  answers: Answers,
  { writes, busy }: { readonly writes: readonly StoreWrite[]; readonly busy: ReadonlySet<number> | undefined },
): Promise<readonly BatchOutcome[]> {
  const outcomes: BatchOutcome[] = []
  for (const write of writes)
    outcomes.push(usesBusyKey(write, busy) ? KEY_IN_USE : await applyWrite(batch, answers, write))
  return outcomes
}

function markWritten(
  context: WriteContext,
  tx: PostgresTransaction,
  { outcomes, nowMs }: { readonly outcomes: readonly BatchOutcome[]; readonly nowMs: number },
): CommitMark | undefined {
  const isWritten = outcomes.some((outcome) => 'result' in outcome && outcome.result.type === 'done')
  if (!isWritten) return undefined
  const mark = { writer: context.name, number: ++context.commitCount }
  markCommit(tx, mark, nowMs)
  return mark
}

async function applyWrite(batch: Batch, answers: Answers, write: StoreWrite): Promise<BatchOutcome> {
  const { idempotency } = write
  const kept = idempotency && answers.find(idempotency.key)
  if (idempotency && kept) return { result: replayOf(kept, idempotency) }

  const state = await fullState(batch, write)
  let change: RecordChange
  try {
    change = write.decide(state)
    checkChange(write, state, change)
  } catch (refusal) {
    return { refusal }
  }
  if (tookEffect(change.answer)) {
    const taken = await batch.unique.takenBy(write, state.id, change)
    if (taken) return { result: { type: 'already_exists', ...taken } }
    await applyChange(batch, write, state, change)
    if (idempotency) answers.put(idempotency, change.answer)
  }
  return { result: { type: 'done', answer: change.answer } }
}

function stateOf({ records }: Batch, serials: Serials, { resource, id, parent, hasOwnEvent }: StoreWrite): WriteState {
  const isParentThere = !parent || records.find(parent.resource, parent.id) !== undefined
  if (id !== undefined) {
    const eventId = hasOwnEvent && encodeId('event', serials.next())
    return { id, nowMs: serials.timeMs(), current: records.find(resource, id), isParentThere, eventId }
  }
  const serial = serials.next()
  return { id: encodeId(resource, serial), nowMs: timeOfSerial(serial), current: undefined, isParentThere }
}

async function fullState(batch: Batch, write: StoreWrite): Promise<WriteState> {
  const state = stateOf(batch, batch.serials, write)
  if (write.deliveryOf === undefined || write.id === undefined) return state
  await batch.flush()
  if (decodeId('webhook', write.id) === undefined) return state
  return { ...state, delivery: await findDelivery(batch.tx, write.id, write.deliveryOf) }
}

/**
 * Deletes expired answers, until there are none. PostgreSQL plans the statement each time, because its plan for any LIMIT seems to
 * cost more: 0.2 ms of a batch.
 */
function prune(
  context: WriteContext,
  tx: PostgresTransaction,
  { count, keeping }: { count: number; keeping: Keeping },
): void {
  const startMs = performance.now()
  if (startMs < context.pruneAtMs) return
  pruneAnswers(tx, count, keeping, (deleted) => {
    if (deleted < count) context.pruneAtMs = startMs + PRUNE_AGAIN_MS
  })
}

/** A statement for each batch would cost as much as what it deletes. */
const PRUNED_AT_ONCE = 500
const PRUNED_EVERY_MS = 1000

function pruneHistory({ pruning, now, kept }: WriteContext, tx: PostgresTransaction, writes: number): void {
  const nowMs = Math.floor(now())
  pruning.owed += writes * PRUNED_PER_WRITE
  if (pruning.owed < PRUNED_AT_ONCE && Math.abs(nowMs - pruning.atMs) < PRUNED_EVERY_MS) return
  const statement = pruneStatement(tx.dialect, { nowMs, historyMs: kept.historyMs, count: pruning.owed })
  if (statement) tx.later(...statement)
  pruning.owed = 0
  pruning.atMs = nowMs
}

/** Saves the last serial, and wakes the senders of other processes, with COMMIT. */
function finish(context: WriteContext, batch: Batch, { lastSerial, rulesVersion }: Writing): void {
  const { tx, serials, areRulesChanged } = batch
  const version = rulesVersion + (areRulesChanged ? 1 : 0)
  if (areRulesChanged) context.rules = undefined
  if (serials.last !== lastSerial || areRulesChanged) {
    tx.atCommit(`UPDATE sequence SET last_serial = ${serials.last}, rules_version = ${version}`)
  }
  if (batch.events.isWritten) tx.atCommit(`NOTIFY ${DELIVERIES_CHANNEL}, '${context.name}'`)
}

/** The answers to idempotency keys that a batch finds and keeps. */
class Answers {
  readonly #known: ReadonlyMap<string, KeptAnswer>
  readonly #new = new Map<string, KeptAnswer>()

  constructor(known: ReadonlyMap<string, KeptAnswer>) {
    this.#known = known
  }

  find(key: string): KeptAnswer | undefined {
    return this.#new.get(key) ?? this.#known.get(key)
  }

  put({ key, fingerprint }: NonNullable<StoreWrite['idempotency']>, answer: KeptAnswer['answer']): void {
    this.#new.set(key, { fingerprint, answer })
  }

  flush(tx: PostgresTransaction, { nowMs }: Keeping): void {
    if (this.#new.size > 0) keepAnswers(tx, this.#new, nowMs)
  }
}
