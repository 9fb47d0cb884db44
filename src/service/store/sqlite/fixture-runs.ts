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
import { type Connection, inTransaction } from './connection.ts'

type Run = <T>(work: () => T) => Promise<T>

export function fixtureRuns(db: Connection, run: Run, now: () => number): FixtureRuns {
  const nowMs = () => Math.floor(now())
  return {
    page: ({ limit, afterId }) =>
      run(() => {
        const sql = `SELECT ${RUN_COLUMNS} FROM fixture_runs WHERE id > ? ORDER BY id LIMIT ? + 0`
        return runsPage(db.all<RunRow>(sql, afterId ?? '', limit + 1), limit, nowMs())
      }),
    find: (id) => run(() => findRun(db, id, nowMs())),
    lock: (request) => run(() => inTransaction(db, () => takeLock(db, request, nowMs()))),
    renew: ({ id, token, ttlMs }) =>
      run(() => {
        const untilMs = nowMs() + ttlMs
        const sql = 'UPDATE fixture_runs SET locked_until_ms = ? WHERE id = ? AND lock_token = ?'
        return db.run(sql, untilMs, id, token) > 0 ? untilMs : undefined
      }),
    keep: ({ id, token, state, isEnded }) =>
      run(() => {
        const sql = `UPDATE fixture_runs SET state = ?, is_ended = ?, updated_at_ms = max(updated_at_ms, ?)
          WHERE id = ? AND lock_token = ?`
        return db.run(sql, state, isEnded ? 1 : 0, nowMs(), id, token) > 0
      }),
    unlock: ({ id, token }) =>
      run(() => {
        const sql = `UPDATE fixture_runs SET lock_token = NULL, lock_owner = NULL, locked_until_ms = NULL
          WHERE id = ? AND lock_token = ?`
        return db.run(sql, id, token) > 0
      }),
  }
}

function findRun(db: Connection, id: string, nowMs: number): StoredRun | undefined {
  const row = db.get<RunRow>(`SELECT ${RUN_COLUMNS} FROM fixture_runs WHERE id = ?`, id)
  if (!row) return undefined
  const [state] = db.get<[string | null]>('SELECT state FROM fixture_runs WHERE id = ?', id) ?? []
  return { ...runOf(row, nowMs), state: state ?? null }
}

function takeLock(db: Connection, { id, name, owner, token, ttlMs }: LockRequest, nowMs: number): LockResult {
  db.run(
    'DELETE FROM fixture_runs WHERE is_ended = 1 AND updated_at_ms < ? AND coalesce(locked_until_ms, 0) <= ? AND id <> ?',
    nowMs - ENDED_RUN_KEPT_MS,
    nowMs,
    id,
  )
  const taken = db.run(
    `INSERT INTO fixture_runs (id, name, created_at_ms, updated_at_ms, is_ended, lock_token, lock_owner, locked_until_ms)
      VALUES (?1, ?2, ?3, ?3, 1, ?4, ?5, ?6)
      ON CONFLICT (id) DO UPDATE SET lock_token = excluded.lock_token, lock_owner = excluded.lock_owner,
        locked_until_ms = excluded.locked_until_ms, name = excluded.name
      WHERE lock_token IS NULL OR lock_token = excluded.lock_token OR locked_until_ms <= ?3`,
    ...[id, name, nowMs, token, owner, nowMs + ttlMs],
  )
  const run = findRun(db, id, nowMs)
  if (!run) throw new Error(`the run ${id} is missing after its lock was asked for`)
  return taken > 0 || !run.lock ? { type: 'locked', run } : { type: 'held', lock: run.lock }
}
