import { decodeId, encodeId, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { DeliveryBacklog, DeliveryEntry, DeliveryPage, DeliveryQuery } from './deliveries.ts'
import { rowReader, type Session } from './sql.ts'

interface EntryRow extends Omit<DeliveryEntry, 'eventId' | 'webhookId' | 'nextTryAtMs'> {
  readonly eventId: number
  readonly webhookId: number
  readonly nextAtMs: number
}

const readEntry = rowReader<EntryRow>(
  'event_id, webhook_id, kind, record_id, state, attempts, next_at_ms, last_try_at_ms, last_status, last_error',
)

function entryOf(row: readonly unknown[]): DeliveryEntry {
  const { eventId, webhookId, nextAtMs, ...entry } = readEntry(row)
  const ids = { eventId: encodeId('event', eventId), webhookId: encodeId('webhook', webhookId) }
  return { ...entry, ...ids, nextTryAtMs: entry.state === 'pending' ? nextAtMs : undefined }
}

const SELECT_ENTRIES = `SELECT event_id, webhook_id, (SELECT kind FROM events WHERE id = event_id), record_id, state,
  attempts, next_at_ms, last_at_ms, last_status, last_error FROM deliveries`

export async function readLog(
  session: Session,
  webhookId: string,
  { limit, olderThanId }: DeliveryQuery,
): Promise<DeliveryPage> {
  const webhookSerial = decodeId('webhook', webhookId)
  const belowSerial = olderThanId === undefined ? LAST_SERIAL + 1 : decodeId('event', olderThanId)
  if (webhookSerial === undefined || belowSerial === undefined) return { entries: [], nextOlderThanId: undefined }
  const rows = await session.all(
    `${SELECT_ENTRIES} ${session.dialect.indexedBy('deliveries_of_webhook')} WHERE webhook_id = $1 AND event_id < $2
      ORDER BY event_id DESC LIMIT $3 + 0`,
    webhookSerial,
    belowSerial,
    limit + 1,
  )
  const entries = rows.slice(0, limit).map(entryOf)
  return { entries, nextOlderThanId: rows.length > limit ? entries.at(-1)?.eventId : undefined }
}

/** The index holds what is counted: the table itself takes SQLite 50 times as long. */
export async function readBacklog(session: Session): Promise<DeliveryBacklog> {
  const [open, failing, oldest] = (await session.get<readonly [number, number, number | null]>(
    `SELECT count(*), count(failing_since_ms), min(event_id) FROM deliveries
      ${session.dialect.indexedBy('deliveries_kept')} WHERE kept_until_ms IS NULL`,
  )) ?? [0, 0, null]
  return { open, failing, oldestEventMs: oldest === null ? undefined : timeOfSerial(oldest) }
}

type Statement = readonly [sql: string, ...values: (number | null)[]]

export async function findDelivery(
  session: Session,
  webhookId: string,
  eventId: string,
): Promise<DeliveryEntry | undefined> {
  const sql = `${SELECT_ENTRIES} WHERE webhook_id = $1 AND event_id = $2`
  const row = await session.get(sql, ...serialsOf(webhookId, eventId))
  return row && entryOf(row)
}

/** Restarts a delivery now with the first attempt, whether it ended or waits; a delivery in state `sending` is unchanged. */
export function restartStatement({ webhookId, eventId }: DeliveryEntry, nowMs: number): Statement {
  return [
    `UPDATE deliveries SET state = 'pending', next_at_ms = $3, attempts = 0, failing_since_ms = NULL, kept_until_ms = NULL
      WHERE webhook_id = $1 AND event_id = $2 AND state <> 'sending'`,
    ...serialsOf(webhookId, eventId),
    nowMs,
  ]
}

function serialsOf(webhookId: string, eventId: string): readonly [number | null, number | null] {
  return [decodeId('webhook', webhookId) ?? null, decodeId('event', eventId) ?? null]
}
