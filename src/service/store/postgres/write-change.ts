import { decodeId, encodeId } from '../../../core/ids.ts'
import { isOpenResource } from '../../../core/resources/registry.ts'
import { restartStatement } from '../delivery-log.ts'
import { lockLines } from '../delivery-order.ts'
import { removeOrphans } from '../prune-log.ts'
import type { RecordChange, SecretRotation, StoredRecord, StoreWrite, WriteState } from '../store.ts'
import { rotatedSecrets } from '../webhook-secrets.ts'
import type { Batch } from './batch.ts'
import { type PostgresSession, PRUNE_LOCK } from './database.ts'
import { readRules } from './rules.ts'

/** Applies a change and its events. What is common stays pending; what is rare is written at once. */
export async function applyChange(
  batch: Batch,
  write: StoreWrite,
  state: WriteState,
  change: RecordChange,
): Promise<void> {
  const { records, events, serials, clockMs } = batch
  const { id, current } = state
  const { next, event } = change
  if (!next && current) await removeRecord(batch, write, state, change)
  const isPut =
    next !== undefined && (write.id === undefined || (current !== undefined && !isUnchanged(current, change)))
  if (isPut) records.put(write, id, { ...change, next })
  keepHistory(batch, write, state, change)
  if (isOpenResource(write.resource)) batch.unique.put(write.resource, id, next?.text)
  if (write.resource === 'webhook') {
    if (isPut || !next) await readNewRules(batch)
    await changeWebhook(batch, state, change)
  }
  if (event && batch.rules.subscribersTo(event.kind).length > 0) {
    events.put(event, { serial: serials.next(), recordId: id, dueAtMs: clockMs }, batch.rules)
  }
}

function keepHistory(
  { history, serials }: Batch,
  { resource, id: changedId, by }: StoreWrite,
  { id, nowMs }: WriteState,
  { changed }: RecordChange,
): void {
  if (!history.isKept || !changed || resource === 'webhook') return
  const recordSerial = decodeId(resource, id) ?? 0
  // The serial of a new record is that of its creation, too.
  const serial = changedId === undefined ? recordSerial : serials.nextAt(nowMs)
  history.put({ serial, resource, recordSerial }, changed(), by)
}

async function removeRecord(batch: Batch, write: StoreWrite, state: WriteState, change: RecordChange): Promise<void> {
  const { resource } = write
  const { id } = state
  if (resource === 'deal') {
    await removeDeal(batch, write, state, change)
    return
  }
  batch.records.remove(resource, id)
  if (resource !== 'webhook') {
    batch.history.erase(resource, decodeId(resource, id) ?? 0)
    return
  }
  await batch.flush()
  // With the lock of the log, as two that delete the last deliveries of an event would both leave the event.
  await batch.tx.run('SELECT pg_advisory_xact_lock($1)', PRUNE_LOCK)
  const serial = decodeId('webhook', id) ?? 0
  const rows = await batch.tx.all<[number]>('DELETE FROM deliveries WHERE webhook_id = $1 RETURNING event_id', serial)
  await removeOrphans(batch.tx, rows.flat())
}

/** Removes a deal, with which the database deletes its notes. */
async function removeDeal(batch: Batch, write: StoreWrite, state: WriteState, change: RecordChange): Promise<void> {
  const { records, rules, history } = batch
  const { noteEvents } = change
  const isWanted = noteEvents !== undefined && rules.subscribersTo(noteEvents.kind).length > 0
  if (isWanted || history.isKept || records.hasPending('note')) await batch.flush()
  if (history.isKept) await endNotes(batch, write, state)
  if (isWanted) await putNoteEvents(batch, state.id, noteEvents)
  // The notes that were pending are in the database now.
  history.erase('deal', decodeId('deal', state.id) ?? 0)
  records.remove('deal', state.id)
  if (!records.knowsAny('note')) return
  await batch.flush()
  await records.reload('note')
}

/** One entry of the history for each note of a deal, oldest first. */
async function endNotes({ tx, history, serials }: Batch, { by }: StoreWrite, state: WriteState): Promise<void> {
  const notes = await tx.all<readonly [serial: number, version: number]>(
    'SELECT id, version FROM notes WHERE deal_id = $1 ORDER BY id',
    decodeId('deal', state.id) ?? 0,
  )
  for (const note of notes) history.putNoteEnd(serials.nextAt(state.nowMs), note, by)
}

/** One event for each note of a deal, oldest first. */
async function putNoteEvents(
  { tx, events, serials, clockMs, rules }: Batch,
  dealId: string,
  noteEvents: NonNullable<RecordChange['noteEvents']>,
): Promise<void> {
  const rows = await tx.all<readonly [number, string]>(
    'SELECT id, text FROM notes WHERE deal_id = $1 ORDER BY id',
    decodeId('deal', dealId) ?? 0,
  )
  const notes = rows.map(([serial, text]) => ({ recordId: encodeId('note', serial), text }))
  await events.holdLines(notes.map(({ recordId }) => recordId))
  for (const { recordId, text } of notes) {
    events.put(noteEvents.eventOf(text), { serial: serials.next(), recordId, dueAtMs: clockMs }, rules)
  }
}

async function readNewRules(batch: Batch): Promise<void> {
  batch.areRulesChanged = true
  await batch.flush()
  batch.rules = await readRules(batch.tx, batch.rules.version)
}

async function changeWebhook(
  batch: Batch,
  { id, current, delivery, eventId }: WriteState,
  change: RecordChange,
): Promise<void> {
  const { tx, events, clockMs } = batch
  const { webhook, rotation, isResent, ownEvent } = change
  // A changed subscription has not failed yet.
  if (webhook && current) await tx.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = $1', serialOf(id))
  if (rotation) await storeRotation(tx, id, rotation, clockMs)
  if (isResent && delivery) {
    await lockLines(tx, [delivery.recordId])
    await tx.run(...restartStatement(delivery, clockMs))
    events.isWritten = true
  }
  if (ownEvent && eventId !== undefined) {
    // It is the only one of its record, so that it waits for no earlier one that fails.
    const place = { serial: decodeId('event', eventId) ?? 0, recordId: eventId, dueAtMs: clockMs, onlyTo: id }
    events.put(ownEvent, place, batch.rules)
  }
}

async function storeRotation(
  session: PostgresSession,
  id: string,
  rotation: SecretRotation,
  nowMs: number,
): Promise<void> {
  const row = await session.get<readonly [string, string]>(
    'SELECT secret, old_secrets FROM webhooks WHERE id = $1',
    serialOf(id),
  )
  if (!row) return
  await session.run(
    'UPDATE webhooks SET secret = $2, old_secrets = $3 WHERE id = $1',
    serialOf(id),
    rotation.secret,
    rotatedSecrets(...row, rotation, nowMs),
  )
}

function serialOf(webhookId: string): number {
  return decodeId('webhook', webhookId) ?? 0
}

/** A patch without changes is not written. */
function isUnchanged(current: StoredRecord, { next, deal, webhook }: RecordChange): boolean {
  return !webhook && !deal && next?.text === current.text && next.version === current.version
}
