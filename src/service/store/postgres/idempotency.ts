import { createHash } from 'node:crypto'
import type { StoreWrite, WriteAnswer, WriteResult } from '../store.ts'
import { bounded } from './bounded-text.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'

type Idempotency = NonNullable<StoreWrite['idempotency']>

type AnswerRow = readonly [
  key: string,
  fingerprint: string,
  atMs: number,
  status: number,
  location: string | null,
  etag: string | null,
  body: string,
]

export interface KeptAnswer {
  readonly fingerprint: string
  readonly answer: WriteAnswer
}

/** The clock, and how long an answer is kept. */
export interface Keeping {
  readonly nowMs: number
  readonly answersMs: number
}

/** The answers to keys, without expired ones, by key. */
export async function findAnswers(
  session: PostgresSession,
  keys: readonly string[],
  { nowMs, answersMs }: Keeping,
): Promise<Map<string, KeptAnswer>> {
  const rows = await session.all<AnswerRow>(
    `SELECT key, fingerprint, at_ms, status, location, etag, body FROM idempotency
      WHERE key = ANY($1::text[]) AND at_ms >= $2`,
    keys.map(bounded),
    nowMs - answersMs,
  )
  const byColumn = new Map(rows.map((row) => [row[0], row]))
  const found = new Map<string, KeptAnswer>()
  for (const key of keys) {
    const row = byColumn.get(bounded(key))
    if (!row) continue
    const [, fingerprint, , status, location, etag, body] = row
    found.set(key, {
      fingerprint,
      answer: { status, body, location: location ?? undefined, etag: etag ?? undefined },
    })
  }
  return found
}

export function replayOf({ fingerprint, answer }: KeptAnswer, sent: Idempotency): WriteResult {
  return fingerprint === sent.fingerprint ? { type: 'replayed', answer } : { type: 'key_reused' }
}

export function keepAnswers(tx: PostgresTransaction, answers: ReadonlyMap<string, KeptAnswer>, nowMs: number): void {
  const kept = [...answers]
  tx.later(
    `INSERT INTO idempotency (key, at_ms, fingerprint, status, location, etag, body)
      SELECT key, $2, fingerprint, status, location, etag, body
      FROM unnest($1::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[])
        AS given (key, fingerprint, status, location, etag, body)
      ON CONFLICT (key) DO UPDATE SET at_ms = excluded.at_ms, fingerprint = excluded.fingerprint,
        status = excluded.status, location = excluded.location, etag = excluded.etag, body = excluded.body`,
    kept.map(([key]) => bounded(key)),
    nowMs,
    kept.map(([, { fingerprint }]) => fingerprint),
    kept.map(([, { answer }]) => answer.status),
    kept.map(([, { answer }]) => answer.location ?? null),
    kept.map(([, { answer }]) => answer.etag ?? null),
    kept.map(([, { answer }]) => answer.body),
  )
}

/**
 * Deletes some of the oldest expired answers, by one statement: each write waits for it. An array, unlike IN, is looked up by
 * the index whatever the planner expects of it. When the clock was set back, answers from before count as made now: a client
 * may still repeat their requests, and they must not be kept until the clock is there again. `note` gets how many it deleted.
 */
export function pruneAnswers(
  tx: PostgresTransaction,
  count: number,
  { nowMs, answersMs }: Keeping,
  note: (deleted: number) => void = () => {},
): void {
  tx.laterNoting(
    note,
    `WITH dated AS (
      UPDATE idempotency SET at_ms = $4 WHERE key = ANY (ARRAY(
        SELECT key FROM idempotency WHERE at_ms > $2 ORDER BY at_ms DESC LIMIT $3 FOR UPDATE SKIP LOCKED
      ))
    ) DELETE FROM idempotency WHERE key = ANY (ARRAY(
      SELECT key FROM idempotency WHERE at_ms < $1 ORDER BY at_ms LIMIT $3 FOR UPDATE SKIP LOCKED
    ))`,
    nowMs - answersMs,
    nowMs + answersMs,
    count,
    nowMs,
  )
}

/** The number under which processes lock a key; those of different keys may be equal. */
export function keyHash(key: string): number {
  return createHash('sha1').update(key).digest().readInt32BE(0)
}
