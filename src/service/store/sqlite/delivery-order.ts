import { timeOfSerial } from '../../../core/ids.ts'
import { ORDER_KEPT_MS } from '../deliveries.ts'
import type { Connection } from './connection.ts'
import { IS_OPEN } from './delivery-states.ts'

/** The deliveries of one record to one subscription stand in line; those that fail are in front. */
export interface Line {
  readonly webhookSerial: number
  readonly recordId: string
}

const IN_LINE = `FROM deliveries INDEXED BY deliveries_open WHERE webhook_id = ? AND record_id = ? AND ${IS_OPEN}`

/** Whether anything of the line is still to be delivered. */
export function isLineOpen(db: Connection, { webhookSerial, recordId }: Line): boolean {
  return db.get(`SELECT 1 ${IN_LINE} LIMIT 1`, webhookSerial, recordId) !== undefined
}

/** Since when something in the line fails; undefined when nothing does. */
export function failingSinceMs(db: Connection, { webhookSerial, recordId }: Line): number | undefined {
  return db.get<[number]>(
    `SELECT failing_since_ms ${IN_LINE} AND failing_since_ms > 0 ORDER BY failing_since_ms LIMIT 1`,
    webhookSerial,
    recordId,
  )?.[0]
}

/**
 * Lets the first one that was never tried go: now when nothing is before it, else when it has waited long enough behind
 * those that fail. Those behind it have another turn when it was tried.
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

/** Event times never step back, and so may be ahead of a clock that was set right. */
function overtakeTimeMs(eventSerial: number, sinceMs: number, nowMs: number): number {
  return Math.min(nowMs, Math.max(timeOfSerial(eventSerial), sinceMs)) + ORDER_KEPT_MS
}
