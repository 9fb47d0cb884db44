import { decodeId, encodeId, timeOfSerial } from '../../../core/ids.ts'
import { isOpenResource } from '../../../core/resources/registry.ts'
import { checkChange, nextSerial, tookEffect, writeTimeMs } from '../change-rules.ts'
import { deliveryStatement, type EntryRow, entryOf } from '../delivery-log.ts'
import { deletedNote, historyRow, pruneStatement } from '../history.ts'
import type { RecordChange, StoredRecord, StoreWrite, UniqueMember, WriteState } from '../store.ts'
import type { Retention } from '../store-options.ts'
import { type TakenValue, uniqueMembersOf } from '../unique-members.ts'
import type { BatchOutcome } from '../write-queue.ts'
import { type Connection, inTransaction } from './connection.ts'
import { eraseNotes, eraseValues, insertHistory } from './history.ts'
import { findReplay, type Keeping, keepAnswer, PRUNED_PER_WRITE, pruneAnswers } from './idempotency.ts'
import { forgetFailures, type Outbox, storeRotation } from './outbox.ts'
import { findRecord, insertRecord, notesOf, noteVersions, removeRecord, updateRecord } from './records.ts'
import { SQLITE } from './sql-database.ts'
import { currentUniqueMembers, findTaken, keepUniqueValues, removeUniqueValues } from './unique-members.ts'

export interface WriteContext {
  readonly db: Connection
  readonly outbox: Outbox
  readonly now: () => number
  readonly kept: Pick<Retention, 'answersMs' | 'historyMs'>
}

/** Commits the writes in order in one transaction; each sees the changes of the earlier ones. */
export function commitWrites(
  { db, outbox, now, kept }: WriteContext,
  writes: readonly StoreWrite[],
): readonly BatchOutcome[] {
  try {
    return inTransaction(db, () => {
      outbox.refresh()
      const sequence = readSequence(db, now)
      const uniqueMembers = currentUniqueMembers(db)
      const clockMs = Math.floor(now())
      const keeping = { nowMs: clockMs, answersMs: kept.answersMs }
      const batch: Batch = { db, outbox, sequence, clockMs, keeping, uniqueMembers, hasHistory: kept.historyMs > 0 }
      const outcomes = writes.map((write) => applyWrite(batch, write))
      const pruned = writes.length * PRUNED_PER_WRITE
      pruneAnswers(db, pruned, keeping)
      const old = pruneStatement(SQLITE, { nowMs: clockMs, historyMs: kept.historyMs, count: pruned })
      if (old) db.run(...old)
      sequence.save()
      return outcomes
    })
  } catch (error) {
    outbox.forget()
    throw error
  }
}

interface Batch {
  readonly db: Connection
  readonly outbox: Outbox
  readonly sequence: Sequence
  /** For expiry and due times. The time of a write never steps back and may be ahead of a corrected clock. */
  readonly clockMs: number
  readonly keeping: Keeping
  readonly uniqueMembers: readonly UniqueMember[]
  readonly hasHistory: boolean
}

function applyWrite(batch: Batch, write: StoreWrite): BatchOutcome {
  const { db, clockMs, keeping } = batch
  const { idempotency } = write
  const replay = idempotency && findReplay(db, idempotency, keeping)
  if (replay) return { result: replay }

  const state = readState(batch, write)
  let change: RecordChange
  try {
    change = write.decide(state)
    checkChange(write, state, change)
  } catch (refusal) {
    return { refusal }
  }
  if (tookEffect(change.answer)) {
    const taken = takenBy(batch, write, state, change)
    if (taken) return { result: { type: 'already_exists', ...taken } }
    applyChange(batch, write, state, change)
    if (idempotency) keepAnswer(db, idempotency, change.answer, clockMs)
  }
  return { result: { type: 'done', answer: change.answer } }
}

function readState({ db, sequence }: Batch, write: StoreWrite): WriteState {
  const { resource, id, parent, deliveryOf, hasOwnEvent } = write
  const isParentThere = !parent || findRecord(db, parent.resource, parent.id) !== undefined
  if (id !== undefined) {
    const row = deliveryOf === undefined ? undefined : db.get<EntryRow>(...deliveryStatement(id, deliveryOf))
    const delivery = row && entryOf(row)
    const eventId = hasOwnEvent && encodeId('event', sequence.next())
    return { id, nowMs: sequence.timeMs(), current: findRecord(db, resource, id), isParentThere, delivery, eventId }
  }
  const serial = sequence.next()
  return { id: encodeId(resource, serial), nowMs: timeOfSerial(serial), current: undefined, isParentThere }
}

function takenBy(
  { db, uniqueMembers }: Batch,
  { resource }: StoreWrite,
  { id }: WriteState,
  { next }: RecordChange,
): TakenValue | undefined {
  if (uniqueMembers.length === 0 || !next || !isOpenResource(resource)) return undefined
  const members = uniqueMembersOf(uniqueMembers, resource)
  return members.length > 0 ? findTaken(db, { resource, members, id, text: next.text }) : undefined
}

function applyChange(batch: Batch, write: StoreWrite, state: WriteState, change: RecordChange): void {
  const { db, outbox, sequence, clockMs } = batch
  const { id, current, delivery } = state
  const { next, event, rotation, isResent, webhook } = change
  if (!next && current) remove(batch, write, state, change)
  if (next && write.id === undefined) insertRecord(db, id, write, { ...change, next })
  else if (next && current && !isUnchanged(current, change))
    updateRecord(db, write.resource, current, { ...change, next })
  keepUnique(batch, write, state, change)
  keepHistory(batch, write, state, change)
  if (write.resource === 'webhook') outbox.forget()
  if (webhook && current) forgetFailures(db, id)
  if (rotation) storeRotation(db, id, rotation, clockMs)
  if (isResent && delivery) outbox.resend(delivery, clockMs)
  putOwnEvent(batch, state, change)
  if (event && outbox.isWanted(event.kind)) {
    outbox.put(event, { serial: sequence.next(), recordId: id, dueAtMs: clockMs })
  }
}

function remove(batch: Batch, write: StoreWrite, state: WriteState, change: RecordChange): void {
  putNoteEvents(batch, state.id, change)
  if (write.resource !== 'webhook') forgetValues(batch, write, state)
  removeRecord(batch.db, write.resource, state.id)
}

/** Each is the only one of its record, so that none waits for an earlier one that fails. */
function putOwnEvent({ outbox, clockMs }: Batch, { id, eventId }: WriteState, { ownEvent }: RecordChange): void {
  if (!ownEvent || eventId === undefined) return
  outbox.put(ownEvent, { serial: decodeId('event', eventId) ?? 0, recordId: eventId, dueAtMs: clockMs, onlyTo: id })
}

/** One event for each note of a deal that is about to be removed, oldest first. */
function putNoteEvents({ db, outbox, sequence, clockMs }: Batch, dealId: string, { noteEvents }: RecordChange): void {
  if (!noteEvents || !outbox.isWanted(noteEvents.kind)) return
  for (const { id, text } of notesOf(db, dealId)) {
    outbox.put(noteEvents.eventOf(text), { serial: sequence.next(), recordId: id, dueAtMs: clockMs })
  }
}

/** Erases the values of a record, and of the notes of a deal, which each get an entry for their end. */
function forgetValues(batch: Batch, { resource, by }: StoreWrite, { id, nowMs }: WriteState): void {
  const { db, sequence } = batch
  const serial = decodeId(resource, id) ?? 0
  eraseValues(db, serial)
  if (resource !== 'deal') return
  eraseNotes(db, serial)
  if (!batch.hasHistory) return
  for (const [noteSerial, version] of noteVersions(db, serial)) {
    const place = { serial: sequence.nextAt(nowMs), resource: 'note', recordSerial: noteSerial } as const
    insertHistory(db, historyRow(place, deletedNote(version), by))
  }
}

function keepHistory(
  { db, sequence, hasHistory }: Batch,
  { resource, id: changedId, by }: StoreWrite,
  { id, nowMs }: WriteState,
  { changed }: RecordChange,
): void {
  if (!hasHistory || !changed || resource === 'webhook') return
  const recordSerial = decodeId(resource, id) ?? 0
  // The serial of a new record is that of its creation, too.
  const serial = changedId === undefined ? recordSerial : sequence.nextAt(nowMs)
  insertHistory(db, historyRow({ serial, resource, recordSerial }, changed(), by))
}

function keepUnique(
  { db, uniqueMembers }: Batch,
  { resource }: StoreWrite,
  { id }: WriteState,
  { next }: RecordChange,
): void {
  if (uniqueMembers.length === 0 || !isOpenResource(resource)) return
  const members = uniqueMembersOf(uniqueMembers, resource)
  if (members.length === 0) return
  if (next) keepUniqueValues(db, { resource, members, id, text: next.text })
  else removeUniqueValues(db, resource, id)
}

/** A patch without changes is not written. */
function isUnchanged(current: StoredRecord | undefined, { next, deal, webhook }: RecordChange): boolean {
  return !webhook && !deal && next?.text === current?.text && next?.version === current?.version
}

/**
 * The serials of a transaction. The last one is stored in its own row: the highest id of a table would decrease when the
 * newest record is deleted, and its id would be reused.
 */
interface Sequence {
  timeMs(): number
  next(): number
  /** One of this time, unless more were taken than a millisecond has. */
  nextAt(timeMs: number): number
  save(): void
}

function readSequence(db: Connection, now: () => number): Sequence {
  const [saved] = db.get<[number]>('SELECT last_serial FROM sequence') ?? [0]
  let last = saved
  return {
    timeMs: () => writeTimeMs(last, now()),
    next: () => {
      last = nextSerial(last, now())
      return last
    },
    nextAt: (timeMs) => {
      last = nextSerial(last, timeMs)
      return last
    },
    save: () => {
      if (last !== saved) db.run('UPDATE sequence SET last_serial = ?', last)
    },
  }
}
