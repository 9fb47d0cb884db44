import { decodeId } from '../../../core/ids.ts'
import type { DeliveryEntry } from '../deliveries.ts'
import { type EntryRow, entryOf, SELECT_ENTRIES } from '../delivery-log.ts'
import type { PostgresSession } from './database.ts'

export async function findDelivery(
  session: PostgresSession,
  webhookId: string,
  eventId: string,
): Promise<DeliveryEntry | undefined> {
  const row = await session.get<EntryRow>(
    `${SELECT_ENTRIES} WHERE webhook_id = $1 AND event_id = $2`,
    ...placeOf(webhookId, eventId),
  )
  return row && entryOf(row)
}

/** Restarts a delivery now with the first attempt, whether it ended or waits; a delivery in state `sending` is unchanged. */
export async function restartDelivery(
  session: PostgresSession,
  { webhookId, eventId }: DeliveryEntry,
  nowMs: number,
): Promise<void> {
  await session.run(
    `UPDATE deliveries SET state = 'pending', next_at_ms = $3, attempts = 0, failing_since_ms = NULL, kept_until_ms = NULL
      WHERE webhook_id = $1 AND event_id = $2 AND state <> 'sending'`,
    ...placeOf(webhookId, eventId),
    nowMs,
  )
}

function placeOf(webhookId: string, eventId: string): readonly [number | null, number | null] {
  return [decodeId('webhook', webhookId) ?? null, decodeId('event', eventId) ?? null]
}
