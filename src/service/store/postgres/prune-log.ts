import { oldestKeptSerial } from '../history.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'
import type { LogTimes } from './delivery-results.ts'
import { pruneStatement } from './history.ts'
import { pruneAnswers } from './idempotency.ts'
import { PRUNE_LOCK } from './sequence.ts'

/** More than a turn adds, so that pruning catches up, and few enough to be fast. */
const PRUNED_PER_TURN = 300

export async function isPrunable(session: PostgresSession, { nowMs, kept }: LogTimes): Promise<boolean> {
  const [isThere = false] =
    (await session.get<[boolean]>(
      `SELECT EXISTS (SELECT 1 FROM deliveries WHERE kept_until_ms < $1)
        OR EXISTS (SELECT 1 FROM deliveries WHERE kept_until_ms > $2)
        OR EXISTS (SELECT 1 FROM idempotency WHERE at_ms < $3)
        OR EXISTS (SELECT 1 FROM idempotency WHERE at_ms > $5)
        OR EXISTS (SELECT 1 FROM history WHERE id < $4)`,
      nowMs,
      nowMs + longestMs(kept),
      nowMs - kept.answersMs,
      Math.max(0, oldestKeptSerial(nowMs, kept.historyMs) ?? 0),
      nowMs + kept.answersMs,
    )) ?? []
  return isThere
}

/**
 * Deletes some of the oldest entries of the log, events with their last delivery, and expired answers, which a service that
 * writes little would keep for longer; unless another process does so now.
 */
export async function pruneLog(tx: PostgresTransaction, { nowMs, kept }: LogTimes): Promise<void> {
  const [isMine] = (await tx.get<[boolean]>('SELECT pg_try_advisory_xact_lock($1)', PRUNE_LOCK)) ?? []
  if (!isMine) return
  // A service that keeps entries for less time than the one before it applies its time to them, too.
  await tx.run(
    `UPDATE deliveries SET kept_until_ms = $1 WHERE (webhook_id, event_id) IN (
      SELECT webhook_id, event_id FROM deliveries WHERE kept_until_ms > $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    nowMs + longestMs(kept),
    PRUNED_PER_TURN,
  )
  const rows = await tx.all<[number]>(
    `DELETE FROM deliveries WHERE (webhook_id, event_id) IN (
      SELECT webhook_id, event_id FROM deliveries WHERE kept_until_ms < $1 ORDER BY kept_until_ms LIMIT $2
      FOR UPDATE SKIP LOCKED) RETURNING event_id`,
    nowMs,
    PRUNED_PER_TURN,
  )
  if (rows.length > 0) await removeOrphans(tx, rows.flat())
  pruneAnswers(tx, PRUNED_PER_TURN, { nowMs, answersMs: kept.answersMs })
  const statement = pruneStatement({ nowMs, historyMs: kept.historyMs, count: PRUNED_PER_TURN })
  if (statement) tx.later(...statement)
}

/** Deletes those of the events that have no delivery. */
export async function removeOrphans(session: PostgresSession, eventSerials: readonly number[]): Promise<void> {
  await session.run(
    `DELETE FROM events WHERE id = ANY($1::bigint[])
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)`,
    eventSerials,
  )
}

function longestMs({ successesMs, failuresMs }: LogTimes['kept']): number {
  return Math.max(successesMs, failuresMs)
}
