import type { LogTimes } from './delivery-results.ts'
import { oldestKeptSerial, pruneStatement } from './history.ts'
import type { Session, Transaction } from './sql.ts'

/** More than a turn adds, so that pruning catches up, and few enough to be fast. */
const PRUNED_PER_TURN = 300

/** When the oldest and the newest answer were kept, by the index of their age. */
function answerTimes({ dialect }: Session): string {
  const by = `SELECT at_ms FROM idempotency ORDER BY ${dialect.answerAge}`
  return `(${by} LIMIT 1), (${by} DESC LIMIT 1)`
}

type AnswerTimes = readonly [oldestMs: number | null, newestMs: number | null]

/** When the clock was set back, answers from before are ahead. */
function isAhead(times: AnswerTimes, { nowMs, kept }: LogTimes): boolean {
  return times.some((atMs) => atMs !== null && atMs - nowMs > kept.answersMs)
}

function isPast([oldestMs]: AnswerTimes, { nowMs, kept }: LogTimes): boolean {
  return oldestMs !== null && nowMs - oldestMs > kept.answersMs
}

export async function isPrunable(session: Session, times: LogTimes): Promise<boolean> {
  const { nowMs, kept } = times
  const [isThere = false, ...answers] =
    (await session.get<[isThere: unknown, ...AnswerTimes]>(
      `SELECT EXISTS (SELECT 1 FROM deliveries WHERE kept_until_ms < $1)
        OR EXISTS (SELECT 1 FROM deliveries WHERE kept_until_ms > $2)
        OR EXISTS (SELECT 1 FROM history WHERE id < $3), ${answerTimes(session)}`,
      nowMs,
      nowMs + longestMs(kept),
      Math.max(0, oldestKeptSerial(nowMs, kept.historyMs) ?? 0),
    )) ?? []
  const [oldestMs = null, newestMs = null] = answers
  const both = [oldestMs, newestMs] as const
  return Boolean(isThere) || isAhead(both, times) || isPast(both, times)
}

/**
 * Deletes some of the oldest entries of the log, events with their last delivery, and expired answers, which a service that
 * writes little would keep for longer; unless another process does so now.
 */
export async function pruneLog(tx: Transaction, times: LogTimes): Promise<void> {
  const { nowMs, kept } = times
  const { dialect } = tx
  if (dialect.tryPruning !== undefined && !(await tx.get<[boolean]>(dialect.tryPruning))?.[0]) return
  // A service that keeps entries for less time than the one before it applies its time to them, too.
  await tx.run(
    `UPDATE deliveries SET kept_until_ms = $1 WHERE (webhook_id, event_id) IN (SELECT webhook_id, event_id FROM deliveries
      WHERE kept_until_ms > $1 LIMIT $2 + 0 ${dialect.skipLocked})`,
    nowMs + longestMs(kept),
    PRUNED_PER_TURN,
  )
  const ended = await tx.all<[number]>(
    `DELETE FROM deliveries WHERE (webhook_id, event_id) IN (SELECT webhook_id, event_id FROM deliveries
      WHERE kept_until_ms < $1 ORDER BY kept_until_ms LIMIT $2 + 0 ${dialect.skipLocked}) RETURNING event_id`,
    nowMs,
    PRUNED_PER_TURN,
  )
  await removeOrphans(tx, ended.flat())
  await pruneOldAnswers(tx, times)
  const statement = pruneStatement(dialect, { nowMs, historyMs: kept.historyMs, count: PRUNED_PER_TURN })
  if (statement) tx.later(...statement)
}

/** Deletes those of the events that have no delivery. */
export async function removeOrphans(tx: Transaction, eventSerials: readonly number[]): Promise<void> {
  if (eventSerials.length === 0) return
  await tx.run(
    `DELETE FROM events WHERE ${tx.dialect.isIn('id', '$1', 'bigint')}
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)`,
    eventSerials,
  )
}

/**
 * When the clock was set back, answers from before count as made now: a client may still repeat their requests, and they must
 * not be kept until the clock is there again.
 */
async function pruneOldAnswers(tx: Transaction, times: LogTimes): Promise<void> {
  const { nowMs, kept } = times
  const { answerAge, isOneOf, skipLocked } = tx.dialect
  const found = (await tx.get<AnswerTimes>(`SELECT ${answerTimes(tx)}`)) ?? [null, null]
  if (isAhead(found, times)) {
    await tx.run('UPDATE idempotency SET at_ms = $1 WHERE at_ms > $2', nowMs, nowMs + kept.answersMs)
  }
  if (!isPast(found, times)) return
  const oldest = `SELECT key FROM idempotency WHERE at_ms < $1 ORDER BY ${answerAge} LIMIT $2 + 0 ${skipLocked}`
  await tx.run(`DELETE FROM idempotency WHERE ${isOneOf('key', oldest)}`, nowMs - kept.answersMs, PRUNED_PER_TURN)
}

function longestMs({ successesMs, failuresMs }: LogTimes['kept']): number {
  return Math.max(successesMs, failuresMs)
}
