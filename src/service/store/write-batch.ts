import { decodeId, encodeId, timeOfSerial } from '../../core/ids.ts'
import { type Batch, Serials } from './batch.ts'
import { checkChange, tookEffect } from './change-rules.ts'
import { findDelivery } from './delivery-log.ts'
import { pruneStatement } from './history.ts'
import { Answers, findAnswers, type KeptAnswer, replayOf } from './idempotency.ts'
import { PendingEvents } from './pending-events.ts'
import { pruneOldAnswers } from './prune-log.ts'
import { KnownRecords, readKnown } from './records.ts'
import { type Rules, readRules } from './rules.ts'
import type { Session, Transaction } from './sql.ts'
import type { RecordChange, StoreWrite, WriteState } from './store.ts'
import type { Retention } from './store-options.ts'
import { UniqueValues } from './unique-members.ts'
import { applyChange } from './write-change.ts'
import type { BatchOutcome, Meanwhile } from './write-queue.ts'

export interface WaitingWrites extends Meanwhile {
  readonly writes: readonly StoreWrite[]
}

/** A transaction of writes that has begun: it follows all others, so that the order of ids is the order of commits. */
export interface BegunWrites<Read> {
  readonly lastSerial: number
  /** Changes when subscriptions, unique members or pipelines have changed. */
  readonly rulesVersion: number
  /** The writes that waited, and those that have joined them since. */
  readonly groups: readonly WriteGroup<Read>[]
}

export interface WriteGroup<Read> {
  readonly writes: readonly StoreWrite[]
  /** Whether another process is writing with its idempotency key. */
  isBusy(write: StoreWrite): boolean
  readonly read: Read
}

/** Begins a transaction, with what `read` needs of the database for writes, and commits it after `work`. */
export type BeginWrites = <T, Read>(
  waiting: WaitingWrites,
  read: (session: Session, writes: readonly StoreWrite[]) => Promise<Read>,
  work: (tx: Transaction, begun: BegunWrites<Read>) => Promise<T>,
) => Promise<T>

export interface WriteContext {
  /** Differs from those of all other open stores. */
  readonly name: string
  readonly begin: BeginWrites
  readonly now: () => number
  readonly kept: Retention
  /** As of the last batch. */
  rules: Rules | undefined
  /** What writes have still to delete of old answers and of the history, and when some was last deleted. */
  readonly pruning: { owed: number; atMs: number }
}

export interface BatchDone {
  readonly outcomes: readonly BatchOutcome[]
  readonly hasDeliveries: boolean
}

/** The channel on which processes tell one another that deliveries were written. */
export const DELIVERIES_CHANNEL = 'crm_deliveries'

const KEY_IN_USE: BatchOutcome = { result: { type: 'key_in_use' } }

/**
 * Commits the writes in order in one transaction; each sees the changes of the earlier ones. `decided` is called before COMMIT,
 * with what it will make true and whether anything was written.
 */
export function commitWrites(
  context: WriteContext,
  waiting: WaitingWrites,
  decided: (tx: Transaction, done: BatchDone, isWritten: boolean) => void = () => {},
): Promise<BatchDone> {
  const clockMs = Math.floor(context.now())
  const read = (session: Session, writes: readonly StoreWrite[]) =>
    readExisting(session, writes, clockMs - context.kept.answersMs)
  return context.begin(waiting, read, async (tx, begun) => {
    const batch = await openBatch(context, tx, begun)
    const outcomes: BatchOutcome[] = []
    for (const { writes, isBusy } of begun.groups) {
      for (const write of writes) outcomes.push(isBusy(write) ? KEY_IN_USE : await applyWrite(batch, write))
    }
    await batch.events.advance(batch.clockMs)
    await prune(context, batch, outcomes.length)
    finish(context, batch, begun)
    const done = { outcomes, hasDeliveries: batch.events.isWritten }
    decided(
      tx,
      done,
      outcomes.some((outcome) => 'result' in outcome && outcome.result.type === 'done'),
    )
    return done
  })
}

/** What a batch changes or answers again. */
interface Existing {
  readonly answers: ReadonlyMap<string, KeptAnswer>
  readonly records: Awaited<ReturnType<typeof readKnown>>
}

const NO_RECORDS: Existing['records'] = new Map()

async function readExisting(session: Session, writes: readonly StoreWrite[], keptSinceMs: number): Promise<Existing> {
  const keys = new Set(writes.flatMap(({ idempotency }) => (idempotency ? [idempotency.key] : [])))
  const named = writes.flatMap(({ resource, id, parent, references = [] }) => [
    ...(id === undefined ? [] : [{ resource, id }]),
    ...(parent ? [parent] : []),
    ...references,
  ])
  const answers = findAnswers(session, [...keys], keptSinceMs)
  if (named.length === 0) return { answers: await answers, records: NO_RECORDS }
  const [found, records] = await Promise.all([answers, readKnown(session, named)])
  return { answers: found, records }
}

async function openBatch(
  context: WriteContext,
  tx: Transaction,
  { lastSerial, rulesVersion, groups }: BegunWrites<Existing>,
): Promise<Batch> {
  if (context.rules?.version !== rulesVersion) context.rules = await readRules(tx, rulesVersion)
  const { rules } = context
  const writes = groups.flatMap((group) => group.writes)
  const clockMs = Math.floor(context.now())
  const changedIds = [...new Set(writes.flatMap(({ id }) => (id === undefined ? [] : [id])))]
  const batch: Batch = {
    ...{ tx, clockMs, changedIds, rules, areRulesChanged: false, hasHistory: context.kept.historyMs > 0 },
    serials: new Serials(lastSerial, context.now),
    answers: new Answers(tx, clockMs, new Map(groups.flatMap(({ read }) => [...read.answers]))),
    records: new KnownRecords(tx, new Map(groups.flatMap(({ read }) => [...read.records]))),
    events: new PendingEvents(tx),
    unique: new UniqueValues(tx, rules.uniqueMembers),
  }
  if (changedIds.length > 0) await batch.events.holdLines(changedIds, rules)
  // What is unique is found for all at once: what a write decides here is not used.
  await batch.unique.load(writes, (write) => stateOf(batch, new Serials(lastSerial, context.now), write))
  return batch
}

async function applyWrite(batch: Batch, write: StoreWrite): Promise<BatchOutcome> {
  const { answers, unique } = batch
  const { idempotency } = write
  const kept = idempotency && answers.find(idempotency.key)
  if (idempotency && kept) return { result: replayOf(kept, idempotency) }

  const known = stateOf(batch, batch.serials, write)
  const state = write.deliveryOf === undefined ? known : await withDelivery(batch, write, known)
  let change: RecordChange
  try {
    change = write.decide(state)
    checkChange(write, state, change)
  } catch (refusal) {
    return { refusal }
  }
  if (tookEffect(change.answer)) {
    const taken = unique.isChecked(write) ? await unique.takenBy(write, state.id, change) : undefined
    if (taken) return { result: { type: 'already_exists', ...taken } }
    await applyChange(batch, write, state, change)
    if (idempotency) answers.put(idempotency, change.answer)
  }
  return { result: { type: 'done', answer: change.answer } }
}

function stateOf({ records }: Batch, serials: Serials, write: StoreWrite): WriteState {
  const { resource, id, parent, references, hasOwnEvent } = write
  const missing = references?.filter((each) => records.find(each.resource, each.id) === undefined)
  const isParentThere = !parent || records.find(parent.resource, parent.id) !== undefined
  if (id !== undefined) {
    const eventId = hasOwnEvent && encodeId('event', serials.next())
    return { id, nowMs: serials.timeMs(), current: records.find(resource, id), isParentThere, missing, eventId }
  }
  const serial = serials.next()
  return { id: encodeId(resource, serial), nowMs: timeOfSerial(serial), current: undefined, isParentThere, missing }
}

async function withDelivery({ tx }: Batch, { id, deliveryOf }: StoreWrite, state: WriteState): Promise<WriteState> {
  if (deliveryOf === undefined || id === undefined || decodeId('webhook', id) === undefined) return state
  return { ...state, delivery: await findDelivery(tx, id, deliveryOf) }
}

/** More than a write adds, so that pruning catches up. Statements for each batch would cost as much as what they delete. */
const PRUNED_PER_WRITE = 2
const PRUNED_AT_ONCE = 500
const PRUNED_EVERY_MS = 1000

async function prune({ pruning, kept }: WriteContext, { tx, clockMs }: Batch, writes: number): Promise<void> {
  pruning.owed += writes * PRUNED_PER_WRITE
  if (pruning.owed < PRUNED_AT_ONCE && Math.abs(clockMs - pruning.atMs) < PRUNED_EVERY_MS) return
  const pruned = await pruneOldAnswers(tx, { nowMs: clockMs, kept }, pruning.owed)
  const statement = pruneStatement(tx.dialect, { nowMs: clockMs, historyMs: kept.historyMs, count: pruning.owed })
  if (statement) tx.later(...statement)
  // Where more are left, the next batch goes on.
  if (pruned < pruning.owed) pruning.atMs = clockMs
  pruning.owed = 0
}

/** Saves the last serial, and wakes the senders of other processes. */
function finish(context: WriteContext, batch: Batch, { lastSerial, rulesVersion }: BegunWrites<unknown>): void {
  const { tx, serials, areRulesChanged } = batch
  if (areRulesChanged) context.rules = undefined
  if (serials.last !== lastSerial || areRulesChanged) {
    const version = rulesVersion + (areRulesChanged ? 1 : 0)
    tx.later('UPDATE sequence SET last_serial = $1, rules_version = $2', serials.last, version)
  }
  if (batch.events.isWritten) tx.notify(DELIVERIES_CHANNEL, context.name)
}
