import { createHash } from 'node:crypto'
import { timeOfSerial } from '../../core/ids.ts'
import { ORDER_KEPT_MS } from './deliveries.ts'
import type { Session } from './sql.ts'

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

/** When an event may overtake those of its record that fail. Event times never step back, so they may be ahead of a corrected clock. */
export function overtakeTimeMs(eventSerial: number, sinceMs: number, nowMs: number): number {
  return Math.min(nowMs, Math.max(timeOfSerial(eventSerial), sinceMs)) + ORDER_KEPT_MS
}

/** PostgreSQL has room for some thousands of locks in all. */
const LOCKS = 64

/**
 * Until the end of the transaction no other one adds to the queues of these records or takes from their heads: otherwise the
 * last one could end while another that waits for it is written, which would then wait for ever.
 */
export async function lockLines({ all, dialect }: Session, recordIds: readonly string[]): Promise<void> {
  const locks = [...new Set(recordIds.map(lockOf))].sort((left, right) => left - right)
  if (dialect.lockLines !== undefined && locks.length > 0) await all(dialect.lockLines, locks)
}

function lockOf(recordId: string): number {
  return createHash('sha1').update(recordId).digest().readUInt32BE(0) % LOCKS
}

function inLine({ dialect }: Session): string {
  return `FROM deliveries ${dialect.indexedBy('deliveries_open')} WHERE webhook_id = $1 AND record_id = $2 AND ${IS_OPEN}`
}

/** Since when a delivery in the queue fails; undefined when none does. */
export async function failingSinceMs(session: Session, { webhookSerial, recordId }: Line): Promise<number | undefined> {
  const [sinceMs] =
    (await session.get<[number]>(
      `SELECT failing_since_ms ${inLine(session)} AND failing_since_ms > 0 ORDER BY failing_since_ms LIMIT 1`,
      webhookSerial,
      recordId,
    )) ?? []
  return sinceMs
}

type HeadRow = readonly [eventSerial: number, state: string, nextAtMs: number]

/**
 * Makes the first delivery without an attempt due: now when it is first, otherwise when it has waited long enough for the
 * failing ones. The next one follows after its attempt. The queue is locked.
 */
export async function advanceLine(session: Session, line: Line, nowMs: number): Promise<void> {
  const head = await session.get<HeadRow>(
    `SELECT event_id, state, next_at_ms ${inLine(session)} AND failing_since_ms IS NULL ORDER BY event_id LIMIT 1`,
    line.webhookSerial,
    line.recordId,
  )
  if (!head || head[1] === 'sending') return
  const [eventSerial, state, nextAtMs] = head
  const sinceMs = await failingSinceMs(session, line)
  const dueAtMs = sinceMs === undefined ? nowMs : overtakeTimeMs(eventSerial, sinceMs, nowMs)
  // Not one that another process has claimed meanwhile.
  await session.run(
    `UPDATE deliveries SET state = 'pending', next_at_ms = $1 WHERE webhook_id = $2 AND event_id = $3 AND state = $4`,
    state === 'pending' ? Math.min(nextAtMs, dueAtMs) : dueAtMs,
    line.webhookSerial,
    eventSerial,
    state,
  )
}
