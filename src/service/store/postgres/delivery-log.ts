import { decodeId, LAST_SERIAL, timeOfSerial } from '../../../core/ids.ts'
import type { DeliveryBacklog, DeliveryEntry, DeliveryPage, DeliveryQuery } from '../deliveries.ts'
import { type EntryRow, entryOf } from '../delivery-entry.ts'
import type { Session } from './database.ts'

const SELECT_ENTRIES = `SELECT event_id, webhook_id, (SELECT kind FROM events WHERE id = event_id), record_id, state,
  attempts, next_at_ms, last_at_ms, last_status, last_error FROM deliveries`

export async function findDelivery(
  session: Session,
  webhookId: string,
  eventId: string,
): Promise<DeliveryEntry | undefined> {
  const row = await session.get<EntryRow>(
    `${SELECT_ENTRIES} WHERE webhook_id = $1 AND event_id = $2`,
    ...placeOf(webhookId, eventId),
  )
  return row && entryOf(row)
}

export async function readLog(
  session: Session,
  webhookId: string,
  { limit, olderThanId }: DeliveryQuery,
): Promise<DeliveryPage> {
  const webhookSerial = decodeId('webhook', webhookId)
  const belowSerial = olderThanId === undefined ? LAST_SERIAL : decodeId('event', olderThanId)
  if (webhookSerial === undefined || belowSerial === undefined) return { entries: [], nextOlderThanId: undefined }
  const rows = await session.all<EntryRow>(
    `${SELECT_ENTRIES} WHERE webhook_id = $1 AND event_id < $2 ORDER BY event_id DESC LIMIT $3`,
    webhookSerial,
    belowSerial,
    limit + 1,
  )
  const entries = rows.slice(0, limit).map(entryOf)
  return { entries, nextOlderThanId: rows.length > limit ? entries.at(-1)?.eventId : undefined }
}

export async function readBacklog(session: Session): Promise<DeliveryBacklog> {
  const [open, failing, oldest] = (await session.get<readonly [number, number, number | null]>(
    'SELECT count(*), count(failing_since_ms), min(event_id) FROM deliveries WHERE kept_until_ms IS NULL',
  )) ?? [0, 0, null]
  return { open, failing, oldestEventMs: oldest === null ? undefined : timeOfSerial(oldest) }
}

/** Restarts a delivery now with the first attempt, whether it ended or waits; a delivery in state `sending` is unchanged. */
export async function restartDelivery(
  session: Session,
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
