import { decodeId, encodeId } from '../../core/ids.ts'
import { isOpenResource } from '../../core/resources/registry.ts'
import type { Batch } from './batch.ts'
import { restartStatement } from './delivery-log.ts'
import { lockLines } from './delivery-order.ts'
import { deletedNote, ERASE_VALUES, historyStatement } from './history.ts'
import { removeOrphans } from './prune-log.ts'
import { readRules } from './rules.ts'
import type { Transaction } from './sql.ts'
import type { RecordChange, SecretRotation, StoredRecord, StoreWrite, WriteState } from './store.ts'
import { rotatedSecrets } from './webhook-secrets.ts'

/** Applies a change and its events. */
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
  if (isPut) records.put(write, id, next, change)
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
  { tx, hasHistory, serials }: Batch,
  { resource, id: changedId, by }: StoreWrite,
  { id, nowMs }: WriteState,
  { changed }: RecordChange,
): void {
  if (!hasHistory || !changed || resource === 'webhook') return
  const recordSerial = decodeId(resource, id) ?? 0
  // The serial of a new record is that of its creation, too.
  const serial = changedId === undefined ? recordSerial : serials.nextAt(nowMs)
  tx.later(...historyStatement({ serial, resource, recordSerial }, changed(), by))
}

async function removeRecord(batch: Batch, write: StoreWrite, state: WriteState, change: RecordChange): Promise<void> {
  const { tx, records } = batch
  const { resource } = write
  const serial = decodeId(resource, state.id) ?? 0
  if (resource === 'webhook') await removeDeliveries(tx, serial)
  // Values of a deleted record leave its history at once.
  else tx.later(`${ERASE_VALUES} = $1`, serial)
  if (resource === 'deal') await removeNotes(batch, write, state, change)
  records.remove(resource, state.id)
  if (resource === 'deal') await records.reload('note')
}

/** With the lock of the log, as two that delete the last deliveries of an event would both leave the event. */
async function removeDeliveries(tx: Transaction, webhookSerial: number): Promise<void> {
  if (tx.dialect.lockPruning !== undefined) await tx.all(tx.dialect.lockPruning)
  const sql = 'DELETE FROM deliveries WHERE webhook_id = $1 RETURNING event_id'
  await removeOrphans(tx, (await tx.all<[number]>(sql, webhookSerial)).flat())
}

/** What ends with the notes of a deal, which the database deletes: their values, one entry and one event for each, oldest first. */
async function removeNotes(
  batch: Batch,
  { by }: StoreWrite,
  { id, nowMs }: WriteState,
  { noteEvents }: RecordChange,
): Promise<void> {
  const { tx, events, serials, clockMs, rules, hasHistory } = batch
  const dealSerial = decodeId('deal', id) ?? 0
  tx.later(`${ERASE_VALUES} IN (SELECT id FROM notes WHERE deal_id = $1)`, dealSerial)
  if (hasHistory) {
    const sql = 'SELECT id, version FROM notes WHERE deal_id = $1 ORDER BY id'
    for (const [noteSerial, version] of await tx.all<readonly [number, number]>(sql, dealSerial)) {
      const place = { serial: serials.nextAt(nowMs), resource: 'note', recordSerial: noteSerial } as const
      tx.later(...historyStatement(place, deletedNote(version), by))
    }
  }
  if (!noteEvents || rules.subscribersTo(noteEvents.kind).length === 0) return
  const sql = 'SELECT id, text FROM notes WHERE deal_id = $1 ORDER BY id'
  const rows = await tx.all<readonly [number, string]>(sql, dealSerial)
  const notes = rows.map(([serial, text]) => ({ recordId: encodeId('note', serial), text }))
  await events.holdLines(
    notes.map(({ recordId }) => recordId),
    rules,
  )
  for (const { recordId, text } of notes) {
    events.put(noteEvents.eventOf(text), { serial: serials.next(), recordId, dueAtMs: clockMs }, rules)
  }
}

async function readNewRules(batch: Batch): Promise<void> {
  batch.areRulesChanged = true
  batch.rules = await readRules(batch.tx, batch.rules.version)
  await batch.events.holdLines(batch.changedIds, batch.rules)
}

async function changeWebhook(
  batch: Batch,
  { id, current, delivery, eventId }: WriteState,
  change: RecordChange,
): Promise<void> {
  const { tx, events, clockMs } = batch
  const { webhook, rotation, isResent, ownEvent } = change
  const serial = decodeId('webhook', id) ?? 0
  // A changed subscription has not failed yet.
  if (webhook && current) tx.later('UPDATE webhooks SET failing_since_ms = NULL WHERE id = $1', serial)
  if (rotation) await storeRotation(tx, serial, rotation, clockMs)
  if (isResent && delivery) {
    await lockLines(tx, [delivery.recordId])
    tx.later(...restartStatement(delivery, clockMs))
    events.isWritten = true
  }
  if (ownEvent && eventId !== undefined) {
    // It is the only one of its record, so that it waits for no earlier one that fails.
    const place = { serial: decodeId('event', eventId) ?? 0, recordId: eventId, dueAtMs: clockMs, onlyTo: id }
    events.put(ownEvent, place, batch.rules)
  }
}

async function storeRotation(tx: Transaction, serial: number, rotation: SecretRotation, nowMs: number): Promise<void> {
  const row = await tx.get<readonly [string, string]>('SELECT secret, old_secrets FROM webhooks WHERE id = $1', serial)
  if (!row) return
  const old = rotatedSecrets(...row, rotation, nowMs)
  tx.later('UPDATE webhooks SET secret = $2, old_secrets = $3 WHERE id = $1', serial, rotation.secret, old)
}

/** A patch without changes is not written. */
function isUnchanged(current: StoredRecord, { next, deal, webhook }: RecordChange): boolean {
  return !webhook && !deal && next?.text === current.text && next.version === current.version
}
