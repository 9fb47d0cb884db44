import { createHash } from 'node:crypto'
import { overtakeTimeMs } from '../delivery-times.ts'
import type { PostgresSession } from './database.ts'
import { LINE_LOCKS } from './sequence.ts'

/**
 * `waiting` for an earlier delivery of its record, `pending` until `next_at_ms`, `sending` until the claim ends at
 * `next_at_ms`; then `succeeded` or `failed`. The text must equal that of the partial indexes, or they are not used.
 */
export const IS_OPEN = `state IN ('waiting', 'pending', 'sending')`

export const IS_DUE_SOMETIME = `state IN ('pending', 'sending')`

/** The deliveries of one record to one subscription form a queue; failing ones are at its head. */
export interface Line {
  readonly webhookSerial: number
  readonly recordId: string
}

/** PostgreSQL has room for some thousands of locks in all. */
const LOCKS = 64

/**
 * Until the end of the transaction no other one adds to the queues of these records or takes from their heads: otherwise the
 * last one could end while another that waits for it is written, which would then wait for ever.
 */
export async function lockLines(session: PostgresSession, recordIds: readonly string[]): Promise<void> {
  const locks = [...new Set(recordIds.map(lockOf))].sort((left, right) => left - right)
  if (locks.length === 0) return
  await session.run('SELECT pg_advisory_xact_lock($1, lock) FROM unnest($2::int[]) AS lock', LINE_LOCKS, locks)
}

function lockOf(recordId: string): number {
  return createHash('sha1').update(recordId).digest().readUInt32BE(0) % LOCKS
}

const IN_LINE = `FROM deliveries WHERE record_id = line.record_id AND webhook_id = line.webhook_id AND ${IS_OPEN}`

type HeadRow = readonly [
  webhookSerial: number,
  recordId: string,
  eventSerial: number | null,
  state: string | null,
  sinceMs: number | null,
]

/**
 * Makes the first delivery without an attempt due in each queue: now when it is first, otherwise when it has waited long enough
 * for the failing ones. The next one follows after its attempt. The queues are locked.
 */
export async function advanceLines(session: PostgresSession, lines: readonly Line[], nowMs: number): Promise<void> {
  if (lines.length === 0) return
  const heads = await session.all<HeadRow>(
    `SELECT line.webhook_id, line.record_id, head.event_id, head.state,
        (SELECT min(failing_since_ms) ${IN_LINE} AND failing_since_ms > 0)
      FROM unnest($1::bigint[], $2::text[]) AS line (webhook_id, record_id)
      JOIN LATERAL (SELECT event_id, state ${IN_LINE} AND failing_since_ms IS NULL ORDER BY event_id LIMIT 1) AS head ON true`,
    lines.map(({ webhookSerial }) => webhookSerial),
    lines.map(({ recordId }) => recordId),
  )
  const due = heads.flatMap(([webhookSerial, , eventSerial, state, sinceMs]) =>
    eventSerial === null || state === 'sending'
      ? []
      : [[webhookSerial, eventSerial, sinceMs === null ? nowMs : overtakeTimeMs(eventSerial, sinceMs, nowMs)] as const],
  )
  if (due.length === 0) return
  await session.run(
    `UPDATE deliveries SET state = 'pending',
        next_at_ms = CASE WHEN deliveries.state = 'pending' THEN least(deliveries.next_at_ms, due.at_ms) ELSE due.at_ms END
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS due (webhook_id, event_id, at_ms)
      WHERE deliveries.webhook_id = due.webhook_id AND deliveries.event_id = due.event_id
        AND deliveries.state IN ('waiting', 'pending')`,
    due.map(([webhookSerial]) => webhookSerial),
    due.map(([, eventSerial]) => eventSerial),
    due.map(([, , atMs]) => atMs),
  )
}

/** Since when a delivery in each queue fails, by `webhookSerial/recordId`; without queues in which none does. */
export async function failingLines(
  session: PostgresSession,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, number>> {
  if (lines.length === 0) return new Map()
  const rows = await session.all<readonly [number, string, number | null]>(
    `SELECT line.webhook_id, line.record_id, (SELECT min(failing_since_ms) ${IN_LINE} AND failing_since_ms > 0)
      FROM unnest($1::bigint[], $2::text[]) AS line (webhook_id, record_id)`,
    lines.map(({ webhookSerial }) => webhookSerial),
    lines.map(({ recordId }) => recordId),
  )
  return new Map(
    rows.flatMap(([serial, recordId, sinceMs]) =>
      sinceMs === null ? [] : [[`${serial}/${recordId}`, sinceMs] as const],
    ),
  )
}
