import type { SQLInputValue } from 'node:sqlite'
import { decodeId } from '../../../core/ids.ts'
import type { DeliveryEntry } from '../deliveries.ts'
import { type EntryRow, entryOf, SELECT_ENTRIES } from '../delivery-log.ts'
import type { Connection } from './connection.ts'

export function findDelivery(db: Connection, webhookId: string, eventId: string): DeliveryEntry | undefined {
  const place = placeOf(webhookId, eventId)
  const row = place && db.get<EntryRow>(`${SELECT_ENTRIES} WHERE webhook_id = ? AND event_id = ?`, ...place)
  return row && entryOf(row)
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
