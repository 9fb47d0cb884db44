import {
  ENDED_RUN_KEPT_MS,
  type FixtureRuns,
  type LockRequest,
  type LockResult,
  RUN_COLUMNS,
  type RunRow,
  runOf,
  runsPage,
  type StoredRun,
} from '../fixture-runs.ts'
import { withoutNul } from './bounded-text.ts'
import type { Database, Session, Transaction } from './database.ts'

type Run = <T>(work: () => Promise<T>) => Promise<T>

/** Also where the database is set to acknowledge before the disk has it. */
const BEGIN = 'BEGIN; SET LOCAL lock_timeout = 5000; SET LOCAL synchronous_commit = on'

export function fixtureRuns(database: Database, run: Run, now: () => number): FixtureRuns {
  const nowMs = () => Math.floor(now())
  const change = <T>(work: (tx: Transaction) => Promise<T>) => run(() => database.transaction(BEGIN, work))
  return {
    page: ({ limit, afterId }) =>
      run(async () => {
        const sql = `SELECT ${RUN_COLUMNS} FROM fixture_runs WHERE id > $1 ORDER BY id LIMIT $2`
        return runsPage(await database.all<RunRow>(sql, afterId ?? '', limit + 1), limit, nowMs())
      }),
    find: (id) => run(() => findRun(database, id, nowMs())),
    lock: (request) => change((tx) => takeLock(tx, request, nowMs())),
    renew: ({ id, token, ttlMs }) =>
      change(async (tx) => {
        const untilMs = nowMs() + ttlMs
        const sql = 'UPDATE fixture_runs SET locked_until_ms = $1 WHERE id = $2 AND lock_token = $3'
        return (await tx.run(sql, untilMs, id, token)) > 0 ? untilMs : undefined
      }),
    keep: ({ id, token, state, isEnded }) =>
      change(async (tx) => {
        const sql = `UPDATE fixture_runs SET state = $1, is_ended = $2, updated_at_ms = greatest(updated_at_ms, $3)
          WHERE id = $4 AND lock_token = $5`
        return (await tx.run(sql, state, isEnded ? 1 : 0, nowMs(), id, token)) > 0
      }),
    unlock: ({ id, token }) =>
      change(async (tx) => {
        const sql = `UPDATE fixture_runs SET lock_token = NULL, lock_owner = NULL, locked_until_ms = NULL
          WHERE id = $1 AND lock_token = $2`
        return (await tx.run(sql, id, token)) > 0
      }),
  }
}

async function findRun(session: Session, id: string, nowMs: number): Promise<StoredRun | undefined> {
  const row = await session.get<[...RunRow, string | null]>(
    `SELECT ${RUN_COLUMNS}, state FROM fixture_runs WHERE id = $1`,
    id,
  )
  if (!row) return undefined
  const [state, ...run] = [row[7], ...row.slice(0, 7)]
  return { ...runOf(run as unknown as RunRow, nowMs), state }
}

async function takeLock(
  tx: Transaction,
  { id, name, owner, token, ttlMs }: LockRequest,
  nowMs: number,
): Promise<LockResult> {
  await tx.run(
    `DELETE FROM fixture_runs WHERE id IN (SELECT id FROM fixture_runs
      WHERE is_ended = 1 AND updated_at_ms < $1 AND coalesce(locked_until_ms, 0) <= $2 AND id <> $3
      FOR UPDATE SKIP LOCKED)`,
    nowMs - ENDED_RUN_KEPT_MS,
    nowMs,
    id,
  )
  const taken = await tx.run(
    `INSERT INTO fixture_runs (id, name, created_at_ms, updated_at_ms, is_ended, lock_token, lock_owner, locked_until_ms)
      VALUES ($1, $2, $3, $3, 1, $4, $5, $6)
      ON CONFLICT (id) DO UPDATE SET lock_token = excluded.lock_token, lock_owner = excluded.lock_owner,
        locked_until_ms = excluded.locked_until_ms, name = excluded.name
      WHERE fixture_runs.lock_token IS NULL OR fixture_runs.lock_token = excluded.lock_token
        OR fixture_runs.locked_until_ms <= $3`,
    ...[id, withoutNul(name), nowMs, token, withoutNul(owner), nowMs + ttlMs],
  )
  const run = await findRun(tx, id, nowMs)
  if (!run) throw new Error(`the run ${id} is missing after its lock was asked for`)
  return taken > 0 || !run.lock ? { type: 'locked', run } : { type: 'held', lock: run.lock }
}
