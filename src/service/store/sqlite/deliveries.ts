import { decodeId, encodeId } from '../../../core/ids.ts'
import type { ClaimedDelivery, DeliveryTurn, TryResult, TurnOutcome } from '../deliveries.ts'
import type { SecretRotation } from '../store.ts'
import { liveSecrets, rotatedSecrets } from '../webhook-secrets.ts'
import { type Connection, inQuickTransaction } from './connection.ts'
import { IS_DUE_SOMETIME } from './delivery-order.ts'
import { failAll, keepResult, type LogTimes, renewClaim } from './delivery-results.ts'
import { hasOldHistory, pruneHistory } from './history.ts'
import { hasPastAnswers, type Keeping, pruneAnswers } from './idempotency.ts'

/** More than a turn adds, so that pruning catches up, and few enough to be fast. */
const PRUNED_PER_TURN = 200

interface Endpoint {
  readonly serial: number
  readonly id: string
  /** The earliest due time of its deliveries. */
  readonly dueAtMs: number
}

/** A turn with nothing to do writes nothing and takes no lock, as it runs once a second. */
export function takeTurn(db: Connection, turn: DeliveryTurn, times: LogTimes): TurnOutcome {
  const { nowMs } = times
  const claimedUntilMs = nowMs + turn.leaseMs
  const isWritten = turn.results.length > 0 || turn.renewals.length > 0
  if (!isWritten && freeEndpoints(db, turn, nowMs).length === 0 && !isPrunable(db, times)) {
    return { claimed: [], claimedUntilMs, nextDueAtMs: nextDueAtMs(db, nowMs), failingSinceMs: new Map() }
  }
  return inQuickTransaction(db, () => {
    for (const result of turn.results) keepResult(db, result, times)
    const failingSinceMs = keepHealth(db, turn.results, nowMs)
    for (const claim of turn.renewals) renewClaim(db, claim, claimedUntilMs)
    const claimed = claimDue(db, turn, times)
    pruneLog(db, times)
    // A service that writes little must not keep answers for longer.
    pruneAnswers(db, PRUNED_PER_TURN, answersOf(times))
    pruneHistory(db, { nowMs, historyMs: times.kept.historyMs, count: PRUNED_PER_TURN })
    return { claimed, claimedUntilMs, nextDueAtMs: nextDueAtMs(db, nowMs), failingSinceMs }
  })
}

function claimDue(db: Connection, turn: DeliveryTurn, times: LogTimes): readonly ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = []
  for (const endpoint of freeEndpoints(db, turn, times.nowMs)) {
    const slots = Math.min(turn.slotsOf(endpoint.id), turn.slots - claimed.length)
    if (slots > 0) claimed.push(...claimOf(db, { ...endpoint, slots, untilMs: times.nowMs + turn.leaseMs }, times))
  }
  return claimed
}

function claimOf(
  db: Connection,
  { serial, id, slots, untilMs }: Endpoint & { readonly slots: number; readonly untilMs: number },
  times: LogTimes,
): readonly ClaimedDelivery[] {
  const { nowMs } = times
  const [url = '', secret = '', oldSecrets = '[]', isEnabled = 0] =
    db.get<readonly [string, string, string, number]>(
      `SELECT url, secret, old_secrets, text ->> '$.status' = 'enabled' FROM webhooks WHERE id = ?`,
      serial,
    ) ?? []
  if (!isEnabled) {
    failAll(db, serial, 'the subscription is disabled', times)
    return []
  }
  const due = db.all<readonly [number, number, string]>(
    `SELECT event_id, attempts, (SELECT text FROM events WHERE id = event_id)
      FROM deliveries INDEXED BY deliveries_due
      WHERE webhook_id = ? AND ${IS_DUE_SOMETIME} AND next_at_ms <= ? ORDER BY next_at_ms, event_id LIMIT ? + 0`,
    serial,
    nowMs,
    slots,
  )
  const secrets = liveSecrets(secret, oldSecrets, nowMs)
  return due.map(([eventSerial, failedTries, text]) => {
    db.run(
      `UPDATE deliveries SET state = 'sending', next_at_ms = ? WHERE event_id = ? AND webhook_id = ?`,
      untilMs,
      eventSerial,
      serial,
    )
    const eventId = encodeId('event', eventSerial)
    return { eventId, webhookId: id, claimedUntilMs: untilMs, url, secrets, text, failedTries }
  })
}

/** Subscriptions with due deliveries and free slots, longest waiting first. */
function freeEndpoints(db: Connection, turn: DeliveryTurn, nowMs: number): readonly Endpoint[] {
  if (turn.slots <= 0) return []
  return openEndpoints(db)
    .filter(({ id, dueAtMs }) => dueAtMs <= nowMs && turn.slotsOf(id) > 0)
    .toSorted((left, right) => left.dueAtMs - right.dueAtMs)
}

/** Skips from one subscription to the next in the index, so that subscriptions without deliveries cost nothing. */
const WITH_OPEN = `WITH RECURSIVE open (id) AS (
  SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_due WHERE ${IS_DUE_SOMETIME}
  UNION ALL
  SELECT (SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_due
    WHERE ${IS_DUE_SOMETIME} AND webhook_id > open.id) FROM open WHERE open.id IS NOT NULL
)`

const DUE_OF_OPEN = `(SELECT min(next_at_ms) FROM deliveries INDEXED BY deliveries_due
  WHERE webhook_id = open.id AND ${IS_DUE_SOMETIME}`

function openEndpoints(db: Connection): readonly Endpoint[] {
  return db
    .all<readonly [number, number]>(`${WITH_OPEN} SELECT id, ${DUE_OF_OPEN}) FROM open WHERE id IS NOT NULL`)
    .map(([serial, dueAtMs]) => ({ serial, id: encodeId('webhook', serial), dueAtMs }))
}

function nextDueAtMs(db: Connection, nowMs: number): number | undefined {
  const [next] =
    db.get<[number | null]>(`${WITH_OPEN} SELECT min(${DUE_OF_OPEN} AND next_at_ms > ?)) FROM open`, nowMs) ?? []
  return next ?? undefined
}

function isPrunable(db: Connection, { nowMs, kept }: LogTimes): boolean {
  const isThere = (sql: string, value: number) => db.get(`SELECT 1 FROM deliveries WHERE ${sql} LIMIT 1`, value)
  const isEntry = isThere('kept_until_ms < ?', nowMs) ?? isThere('kept_until_ms > ?', nowMs + longestMs(kept))
  return (
    isEntry !== undefined || hasPastAnswers(db, answersOf({ nowMs, kept })) || hasOldHistory(db, nowMs, kept.historyMs)
  )
}

function answersOf({ nowMs, kept: { answersMs } }: LogTimes): Keeping {
  return { nowMs, answersMs }
}

/** A service that keeps entries for less time than the one before it applies its time to them, too. */
function shortenLog(db: Connection, untilMs: number): void {
  db.run(
    `UPDATE deliveries SET kept_until_ms = ?1 WHERE (event_id, webhook_id) IN (SELECT event_id, webhook_id FROM deliveries
      WHERE kept_until_ms > ?1 LIMIT ?2 + 0)`,
    untilMs,
    PRUNED_PER_TURN,
  )
}

function longestMs({ successesMs, failuresMs }: LogTimes['kept']): number {
  return Math.max(successesMs, failuresMs)
}

/** Deletes some of the oldest entries of the log; a trigger deletes an event with its last delivery. */
function pruneLog(db: Connection, { nowMs, kept }: LogTimes): void {
  shortenLog(db, nowMs + longestMs(kept))
  db.run(
    `DELETE FROM deliveries WHERE (event_id, webhook_id) IN (SELECT event_id, webhook_id FROM deliveries
      WHERE kept_until_ms < ? ORDER BY kept_until_ms LIMIT ? + 0)`,
    nowMs,
    PRUNED_PER_TURN,
  )
}

/**
 * Stores since when no attempt of a subscription has succeeded, once per turn, and returns it for subscriptions with a failed
 * attempt. Any success in the turn counts.
 */
function keepHealth(db: Connection, results: readonly TryResult[], nowMs: number): ReadonlyMap<string, number> {
  const isWell = new Map<string, boolean>()
  for (const { claim, outcome } of results) {
    if (outcome.type === 'untried') continue
    isWell.set(claim.webhookId, isWell.get(claim.webhookId) === true || outcome.type === 'succeeded')
  }
  const failingSinceMs = new Map<string, number>()
  for (const [webhookId, hasSucceeded] of isWell) {
    const serial = decodeId('webhook', webhookId) ?? null
    if (hasSucceeded) {
      db.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = ? AND failing_since_ms IS NOT NULL', serial)
      continue
    }
    const [sinceMs] =
      db.get<[number]>(
        'UPDATE webhooks SET failing_since_ms = coalesce(failing_since_ms, ?) WHERE id = ? RETURNING failing_since_ms',
        nowMs,
        serial,
      ) ?? []
    if (sinceMs !== undefined) failingSinceMs.set(webhookId, sinceMs)
  }
  return failingSinceMs
}

/** A changed subscription has not failed yet. */
export function forgetFailures(db: Connection, webhookId: string): void {
  db.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = ?', decodeId('webhook', webhookId) ?? null)
}

export function storeRotation(db: Connection, id: string, rotation: SecretRotation, nowMs: number): void {
  const serial = decodeId('webhook', id) ?? null
  const row = db.get<readonly [string, string]>('SELECT secret, old_secrets FROM webhooks WHERE id = ?', serial)
  if (!row) return
  const old = rotatedSecrets(...row, rotation, nowMs)
  db.run('UPDATE webhooks SET secret = ?, old_secrets = ? WHERE id = ?', rotation.secret, old, serial)
}
