import { decodeId, encodeId, LAST_SERIAL, timeOfSerial } from '../../core/ids.ts'
import type { DeliveryBacklog, DeliveryEntry, DeliveryPage, DeliveryQuery } from './deliveries.ts'
import type { Session } from './sql.ts'

/** A delivery as databases return it. */
export type EntryRow = readonly [
  eventSerial: number,
  webhookSerial: number,
  kind: string,
  recordId: string,
  state: DeliveryEntry['state'],
  attempts: number,
  nextAtMs: number,
  lastAtMs: number | null,
  lastStatus: number | null,
  lastError: string | null,
]

export function entryOf(row: EntryRow): DeliveryEntry {
  const [eventSerial, webhookSerial, kind, recordId, state, attempts, nextAtMs, lastAtMs, lastStatus, lastError] = row
  return {
    eventId: encodeId('event', eventSerial),
    webhookId: encodeId('webhook', webhookSerial),
    kind,
    recordId,
    state,
    attempts,
    nextTryAtMs: state === 'pending' ? nextAtMs : undefined,
    lastTryAtMs: lastAtMs ?? undefined,
    lastStatus: lastStatus ?? undefined,
    lastError: lastError ?? undefined,
  }
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
  const rows = await session.all<EntryRow>(
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

/** The statement that finds a delivery. */
export function deliveryStatement(webhookId: string, eventId: string): Statement {
  return [`${SELECT_ENTRIES} WHERE webhook_id = $1 AND event_id = $2`, ...serialsOf(webhookId, eventId)]
}

export async function findDelivery(
  session: Session,
  webhookId: string,
  eventId: string,
): Promise<DeliveryEntry | undefined> {
  const row = await session.get<EntryRow>(...deliveryStatement(webhookId, eventId))
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
