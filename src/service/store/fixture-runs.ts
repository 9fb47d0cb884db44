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

export const RUN_COLUMNS = 'id, name, created_at_ms, updated_at_ms, is_ended, lock_owner, locked_until_ms'

export type RunRow = readonly [
  id: string,
  name: string,
  createdAtMs: number,
  updatedAtMs: number,
  isEnded: number,
  owner: string | null,
  untilMs: number | null,
]

export function runOf(
  [id, name, createdAtMs, updatedAtMs, isEnded, owner, untilMs]: RunRow,
  nowMs: number,
): Omit<StoredRun, 'state'> {
  const isHeld = owner !== null && untilMs !== null && untilMs > nowMs
  return { id, name, createdAtMs, updatedAtMs, isEnded: isEnded === 1, lock: isHeld ? { owner, untilMs } : null }
}

/** `rows`: one more than the limit, if there are more. */
export function runsPage(rows: readonly RunRow[], limit: number, nowMs: number): RunsPage {
  const runs = rows.slice(0, limit).map((row) => runOf(row, nowMs))
  return { runs, nextAfterId: rows.length > limit ? runs.at(-1)?.id : undefined }
}
