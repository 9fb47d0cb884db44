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

/**
 * Deletes some of the oldest expired answers. When the clock was set back, those from before count as made now: a client may
 * still repeat their requests, and they must not be kept until the clock is there again.
 */
export function pruneAnswers(db: Connection, count: number, keeping: Keeping): void {
  const atMs = oldestMs(db)
  if (atMs === undefined) return
  if (isAhead(atMs, keeping)) db.run('UPDATE idempotency SET at_ms = ?1 WHERE at_ms > ?1', keeping.nowMs)
  if (!isPast(atMs, keeping)) return
  db.run(
    `DELETE FROM idempotency WHERE at_ms < ?1
      AND number IN (SELECT number FROM idempotency ORDER BY number LIMIT ?2 + 0)`,
    keeping.nowMs - keeping.answersMs,
    count,
  )
}

function oldestMs(db: Connection): number | undefined {
  return db.get<[number]>('SELECT at_ms FROM idempotency ORDER BY number LIMIT 1')?.[0]
}

function isPast(atMs: number, { nowMs, answersMs }: Keeping): boolean {
  return nowMs - atMs > answersMs
}

function isAhead(atMs: number, { nowMs, answersMs }: Keeping): boolean {
  return atMs - nowMs > answersMs
}
