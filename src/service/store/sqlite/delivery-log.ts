import type { SQLInputValue } from 'node:sqlite'
import { decodeId, LAST_SERIAL, timeOfSerial } from '../../../core/ids.ts'
import type { DeliveryBacklog, DeliveryEntry, DeliveryPage, DeliveryQuery } from '../deliveries.ts'
import { type EntryRow, entryOf } from '../delivery-entry.ts'
import type { Connection } from './connection.ts'

const SELECT_ENTRIES = `SELECT event_id, webhook_id, (SELECT kind FROM events WHERE id = event_id), record_id, state,
  attempts, next_at_ms, last_at_ms, last_status, last_error FROM deliveries`

export function findDelivery(db: Connection, webhookId: string, eventId: string): DeliveryEntry | undefined {
  const place = placeOf(webhookId, eventId)
  const row = place && db.get<EntryRow>(`${SELECT_ENTRIES} WHERE webhook_id = ? AND event_id = ?`, ...place)
  return row && entryOf(row)
}

export function readLog(db: Connection, webhookId: string, { limit, olderThanId }: DeliveryQuery): DeliveryPage {
  const webhookSerial = decodeId('webhook', webhookId)
  const belowSerial = olderThanId === undefined ? LAST_SERIAL + 1 : decodeId('event', olderThanId)
  if (webhookSerial === undefined || belowSerial === undefined) return { entries: [], nextOlderThanId: undefined }
  const rows = db.all<EntryRow>(
    `${SELECT_ENTRIES} INDEXED BY deliveries_of_webhook WHERE webhook_id = ? AND event_id < ?
      ORDER BY event_id DESC LIMIT ? + 0`,
    webhookSerial,
    belowSerial,
    limit + 1,
  )
  const entries = rows.slice(0, limit).map(entryOf)
  return { entries, nextOlderThanId: rows.length > limit ? entries.at(-1)?.eventId : undefined }
}

/** The index holds what is counted: the table itself takes 50 times as long. */
export function readBacklog(db: Connection): DeliveryBacklog {
  const [open, failing, oldest] = db.get<readonly [number, number, number | null]>(
    `SELECT count(*), count(failing_since_ms), min(event_id) FROM deliveries INDEXED BY deliveries_kept
      WHERE kept_until_ms IS NULL`,
  ) ?? [0, 0, null]
  return { open, failing, oldestEventMs: oldest === null ? undefined : timeOfSerial(oldest) }
}

/** Restarts a delivery now with the first attempt, whether it ended or waits; a delivery in state `sending` is unchanged. */
export function restartDelivery(db: Connection, { webhookId, eventId }: DeliveryEntry, nowMs: number): void {
  db.run(
    `UPDATE deliveries SET state = 'pending', next_at_ms = ?3, attempts = 0, failing_since_ms = NULL, kept_until_ms = NULL
      WHERE webhook_id = ?1 AND event_id = ?2 AND state <> 'sending'`,
    ...(placeOf(webhookId, eventId) ?? [null, null]),
    nowMs,
  )
}

function placeOf(webhookId: string, eventId: string): readonly SQLInputValue[] | undefined {
  const [webhookSerial, eventSerial] = [decodeId('webhook', webhookId), decodeId('event', eventId)]
  return webhookSerial === undefined || eventSerial === undefined ? undefined : [webhookSerial, eventSerial]
}
