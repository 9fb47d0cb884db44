import { rowReader, type Session, type SqlDatabase, type Transaction } from './sql.ts'

/** The state of one run of fixtures, which clients keep here, and the lock under which one of them changes it. */
export interface StoredRun {
  readonly id: string
  /** As the client calls it. */
  readonly name: string
  readonly createdAtMs: number
  /** Of the last write of the state. */
  readonly updatedAtMs: number
  /** Whether nothing of the run exists any more, so that its state may be deleted. */
  readonly isEnded: boolean
  /** JSON; null before the first write. */
  readonly state: string | null
  /** Null when the lock is free or has expired. */
  readonly lock: RunLock | null
}

export interface RunLock {
  /** Who holds it, for people. */
  readonly owner: string
  readonly untilMs: number
}

export interface LockRequest {
  readonly id: string
  readonly name: string
  readonly owner: string
  /** Made by the client for each holding: a request with the token of the holder is a repetition. */
  readonly token: string
  readonly ttlMs: number
}

export type LockResult =
  | { readonly type: 'locked'; readonly run: StoredRun }
  | { readonly type: 'held'; readonly lock: RunLock }

/** The end of the renewed lock; undefined when another client has taken it, or when it was given up. */
export type Renewal = number | undefined

export interface KeptState {
  readonly id: string
  readonly token: string
  readonly state: string
  readonly isEnded: boolean
}

export interface RunsQuery {
  readonly limit: number
  readonly afterId: string | undefined
}

/** In the order of their ids, without states. */
export interface RunsPage {
  readonly runs: readonly Omit<StoredRun, 'state'>[]
  readonly nextAfterId: string | undefined
}

export interface FixtureRuns {
  page(query: RunsQuery): Promise<RunsPage>
  find(id: string): Promise<StoredRun | undefined>
  /** Takes a free or expired lock; makes the run if it is missing. Deletes runs that ended ENDED_RUN_KEPT_MS ago. */
  lock(request: LockRequest): Promise<LockResult>
  /** An expired lock that no other client has taken is renewed, too. */
  renew(lock: Pick<LockRequest, 'id' | 'token' | 'ttlMs'>): Promise<Renewal>
  /** False, with nothing written, unless the lock has this token: the fence against a holder that was taken over. */
  keep(kept: KeptState): Promise<boolean>
  /** False when the lock has another token, or none. */
  unlock(lock: Pick<LockRequest, 'id' | 'token'>): Promise<boolean>
}

/** Longer than idempotency keys are kept by default: until then the state names the keys that must not be used again. */
export const ENDED_RUN_KEPT_MS = 7 * 24 * 60 * 60 * 1000

const RUN_COLUMNS = 'id, name, created_at_ms, updated_at_ms, is_ended, lock_owner, locked_until_ms'

interface RunRow extends Omit<StoredRun, 'isEnded' | 'lock' | 'state'> {
  readonly isEnded: number
  readonly lockOwner: string | undefined
  readonly lockedUntilMs: number | undefined
}

const readRun = rowReader<RunRow>(RUN_COLUMNS)

export function fixtureRuns(database: SqlDatabase, run: <T>(work: () => Promise<T>) => Promise<T>, now: () => number) {
  const nowMs = () => Math.floor(now())
  const change = <T>(work: (tx: Transaction) => Promise<T>) => run(() => database.transaction('durable', work))
  return {
    page: ({ limit, afterId }) =>
      run(async () => {
        const sql = `SELECT ${RUN_COLUMNS} FROM fixture_runs WHERE id > $1 ORDER BY id LIMIT $2 + 0`
        const rows = await database.all(sql, afterId ?? '', limit + 1)
        const runs = rows.slice(0, limit).map((row) => runOf(row, nowMs()))
        return { runs, nextAfterId: rows.length > limit ? runs.at(-1)?.id : undefined }
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
        const updatedAtMs = tx.dialect.greatest('updated_at_ms', '$3')
        const sql = `UPDATE fixture_runs SET state = $1, is_ended = $2, updated_at_ms = ${updatedAtMs}
          WHERE id = $4 AND lock_token = $5`
        return (await tx.run(sql, state, isEnded ? 1 : 0, nowMs(), id, token)) > 0
      }),
    unlock: ({ id, token }) =>
      change(async (tx) => {
        const sql = `UPDATE fixture_runs SET lock_token = NULL, lock_owner = NULL, locked_until_ms = NULL
          WHERE id = $1 AND lock_token = $2`
        return (await tx.run(sql, id, token)) > 0
      }),
  } satisfies FixtureRuns
}

function runOf(row: readonly unknown[], nowMs: number): Omit<StoredRun, 'state'> {
  const { isEnded, lockOwner: owner, lockedUntilMs: untilMs, ...run } = readRun(row)
  const isHeld = owner !== undefined && untilMs !== undefined && untilMs > nowMs
  return { ...run, isEnded: isEnded === 1, lock: isHeld ? { owner, untilMs } : null }
}

async function findRun(session: Session, id: string, nowMs: number): Promise<StoredRun | undefined> {
  const row = await session.get(`SELECT ${RUN_COLUMNS}, state FROM fixture_runs WHERE id = $1`, id)
  return row && { ...runOf(row, nowMs), state: row.at(-1) as string | null }
}

async function takeLock(
  tx: Transaction,
  { id, name, owner, token, ttlMs }: LockRequest,
  nowMs: number,
): Promise<LockResult> {
  const { plain, skipLocked } = tx.dialect
  await tx.run(
    `DELETE FROM fixture_runs WHERE id IN (SELECT id FROM fixture_runs
      WHERE is_ended = 1 AND updated_at_ms < $1 AND coalesce(locked_until_ms, 0) <= $2 AND id <> $3 ${skipLocked})`,
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
    ...[id, plain(name), nowMs, token, plain(owner), nowMs + ttlMs],
  )
  const run = await findRun(tx, id, nowMs)
  if (!run) throw new Error(`the run ${id} is missing after its lock was asked for`)
  return taken > 0 || !run.lock ? { type: 'locked', run } : { type: 'held', lock: run.lock }
}
