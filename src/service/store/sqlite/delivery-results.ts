import { decodeId } from '../../../core/ids.ts'
import type { Claim, TryOutcome, TryResult } from '../deliveries.ts'
import type { Retention } from '../store-options.ts'
import type { Connection } from './connection.ts'
import { advanceLine, failingSinceMs, IS_OPEN } from './delivery-order.ts'

/** An expired claim may belong to another process. */
const IS_MINE = `event_id = ?1 AND webhook_id = ?2 AND state = 'sending' AND next_at_ms = ?3`

/** The clock, and how long the log keeps what ended. */
export interface LogTimes {
  readonly nowMs: number
  readonly kept: Retention
}

export function keepResult(db: Connection, { claim, outcome }: TryResult, { nowMs, kept }: LogTimes): void {
  const mine = placeOf(claim)
  if (outcome.type === 'untried') {
    db.run(`UPDATE deliveries SET state = 'pending', next_at_ms = ?4 WHERE ${IS_MINE}`, ...mine, nowMs)
    return
  }
  const row = db.get<readonly [string, number | null]>(
    `SELECT record_id, failing_since_ms FROM deliveries WHERE ${IS_MINE}`,
    ...mine,
  )
  if (!row) return
  const [recordId, knownSinceMs] = row
  const line = { webhookSerial: mine[1], recordId }
  const isFirstFailure = outcome.type === 'retry' && knownSinceMs === null
  // Earlier ones have failed for longer; the queue's waiting time counts from them.
  const sinceMs = isFirstFailure ? (failingSinceMs(db, line) ?? nowMs) : knownSinceMs
  writeTry(db, { mine, outcome, sinceMs }, { nowMs, kept })
  if (isFirstFailure || outcome.type !== 'retry') advanceLine(db, line, nowMs)
}

export function renewClaim(db: Connection, claim: Claim, untilMs: number): void {
  db.run(`UPDATE deliveries SET next_at_ms = ?4 WHERE ${IS_MINE}`, ...placeOf(claim), untilMs)
}

/** Fails all open deliveries of a subscription, also those in state `sending`. */
export function failAll(db: Connection, webhookSerial: number, reason: string, { nowMs, kept }: LogTimes): void {
  db.run(
    `UPDATE deliveries INDEXED BY deliveries_open SET state = 'failed', last_error = ?, kept_until_ms = ?
      WHERE webhook_id = ? AND ${IS_OPEN}`,
    reason,
    nowMs + kept.failuresMs,
    webhookSerial,
  )
}

type Tried = Exclude<TryOutcome, { type: 'untried' }>
type Place = readonly [eventSerial: number, webhookSerial: number, claimedUntilMs: number]

function writeTry(
  db: Connection,
  { mine, outcome, sinceMs }: { mine: Place; outcome: Tried; sinceMs: number | null },
  { nowMs, kept }: LogTimes,
): void {
  db.run(
    `UPDATE deliveries SET state = ?4, next_at_ms = ?5, kept_until_ms = ?6, attempts = attempts + 1,
      failing_since_ms = ?7, last_at_ms = ?8, last_status = ?9, last_error = ?10 WHERE ${IS_MINE}`,
    ...mine,
    outcome.type === 'retry' ? 'pending' : outcome.type,
    outcome.type === 'retry' ? outcome.dueAtMs : nowMs,
    keptUntilMs(outcome, { nowMs, kept }),
    sinceMs,
    nowMs,
    outcome.status ?? null,
    outcome.type === 'succeeded' ? null : outcome.reason,
  )
}

/** Null for an open delivery. */
function keptUntilMs({ type }: Tried, { nowMs, kept }: LogTimes): number | null {
  if (type === 'retry') return null
  return nowMs + (type === 'succeeded' ? kept.successesMs : kept.failuresMs)
}

function placeOf({ eventId, webhookId, claimedUntilMs }: Claim): Place {
  const [eventSerial, webhookSerial] = [decodeId('event', eventId), decodeId('webhook', webhookId)]
  if (eventSerial === undefined || webhookSerial === undefined) throw new Error(`no claim: ${eventId}, ${webhookId}`)
  return [eventSerial, webhookSerial, claimedUntilMs]
}
