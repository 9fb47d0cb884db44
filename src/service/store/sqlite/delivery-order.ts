import { overtakeTimeMs } from '../delivery-times.ts'
import type { Connection } from './connection.ts'

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

const IN_LINE = `FROM deliveries INDEXED BY deliveries_open WHERE webhook_id = ? AND record_id = ? AND ${IS_OPEN}`

/** Whether the queue has open deliveries. */
export function isLineOpen(db: Connection, { webhookSerial, recordId }: Line): boolean {
  return db.get(`SELECT 1 ${IN_LINE} LIMIT 1`, webhookSerial, recordId) !== undefined
}

/** Since when a delivery in the queue fails; undefined when none does. */
export function failingSinceMs(db: Connection, { webhookSerial, recordId }: Line): number | undefined {
  return db.get<[number]>(
    `SELECT failing_since_ms ${IN_LINE} AND failing_since_ms > 0 ORDER BY failing_since_ms LIMIT 1`,
    webhookSerial,
    recordId,
  )?.[0]
}

/**
 * Makes the first delivery without an attempt due: now when it is first, otherwise when it has waited long enough for the
 * failing ones. The next one follows after its attempt.
 */
export function advanceLine(db: Connection, line: Line, nowMs: number): void {
  const next = db.get<readonly [number, string]>(
    `SELECT event_id, state ${IN_LINE} AND failing_since_ms IS NULL ORDER BY event_id LIMIT 1`,
    line.webhookSerial,
    line.recordId,
  )
  if (!next || next[1] === 'sending') return
  const [eventSerial, state] = next
  const sinceMs = failingSinceMs(db, line)
  db.run(
    `UPDATE deliveries SET state = 'pending', next_at_ms = ${state === 'pending' ? 'min(next_at_ms, ?1)' : '?1'}
      WHERE event_id = ?2 AND webhook_id = ?3`,
    sinceMs === undefined ? nowMs : overtakeTimeMs(eventSerial, sinceMs, nowMs),
    eventSerial,
    line.webhookSerial,
  )
}
