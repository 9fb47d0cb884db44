import type { StoreWrite, WriteAnswer, WriteResult } from '../store.ts'
import type { Connection } from './connection.ts'

type Idempotency = NonNullable<StoreWrite['idempotency']>

type AnswerRow = readonly [
  fingerprint: string,
  atMs: number,
  status: number,
  location: string | null,
  etag: string | null,
  body: string,
]

/** More than a write adds, so that pruning catches up, and few enough to be fast. */
export const PRUNED_PER_WRITE = 2

/** The clock, and how long an answer is kept. */
export interface Keeping {
  readonly nowMs: number
  readonly answersMs: number
}

/** The result of an earlier use of the key; undefined when there is none or it has expired. */
export function findReplay(
  db: Connection,
  { key, fingerprint }: Idempotency,
  keeping: Keeping,
): WriteResult | undefined {
  const row = db.get<AnswerRow>(
    'SELECT fingerprint, at_ms, status, location, etag, body FROM idempotency WHERE key = ?',
    key,
  )
  if (!row || isPast(row[1], keeping)) return undefined
  const [usedFor, , status, location, etag, body] = row
  if (usedFor !== fingerprint) return { type: 'key_reused' }
  return {
    type: 'replayed',
    answer: { status, body, location: location ?? undefined, etag: etag ?? undefined },
  }
}

/** REPLACE moves the row of an expired and reused key to the end, so that rows stay in order of age. */
export function keepAnswer(
  db: Connection,
  { key, fingerprint }: Idempotency,
  answer: WriteAnswer,
  nowMs: number,
): void {
  db.run(
    `INSERT OR REPLACE INTO idempotency (key, at_ms, fingerprint, status, location, etag, body)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    key,
    nowMs,
    fingerprint,
    answer.status,
    answer.location ?? null,
    answer.etag ?? null,
    answer.body,
  )
}

/** Whether there are answers to delete. */
export function hasPastAnswers(db: Connection, keeping: Keeping): boolean {
  const oldest = db.get<[number]>('SELECT at_ms FROM idempotency ORDER BY number LIMIT 1')
  return oldest !== undefined && isPast(oldest[0], keeping)
}

/** Deletes some of the oldest expired answers. */
export function pruneAnswers(db: Connection, count: number, keeping: Keeping): void {
  if (!hasPastAnswers(db, keeping)) return
  db.run(
    `DELETE FROM idempotency WHERE abs(?1 - at_ms) > ?2
      AND number IN (SELECT number FROM idempotency ORDER BY number LIMIT ?3 + 0)`,
    keeping.nowMs,
    keeping.answersMs,
    count,
  )
}

/** In both directions: an answer from a clock a day ahead must not be kept until that day. */
function isPast(atMs: number, { nowMs, answersMs }: Keeping): boolean {
  return Math.abs(nowMs - atMs) > answersMs
}
