import { isWanted, type Session, type Transaction } from './sql.ts'
import type { StoreWrite, WriteAnswer, WriteResult } from './store.ts'

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
  /** It is not replayed any more. */
  readonly isExpired: boolean
}

/** The answers to keys, by key. */
export async function findAnswers(
  { all, dialect }: Session,
  keys: readonly string[],
  keptSinceMs: number,
): Promise<ReadonlyMap<string, KeptAnswer>> {
  if (keys.length === 0) return new Map()
  const [condition, wanted] = isWanted(dialect, 'key', keys.map(dialect.bounded))
  const rows = await all<AnswerRow>(
    `SELECT key, fingerprint, at_ms, status, location, etag, body FROM idempotency WHERE ${condition}`,
    wanted,
  )
  const byColumn = new Map(rows.map((row) => [row[0], row]))
  const found = new Map<string, KeptAnswer>()
  for (const key of keys) {
    const row = byColumn.get(dialect.bounded(key))
    if (!row) continue
    const [, fingerprint, atMs, status, location, etag, body] = row
    const answer = { status, body, location: location ?? undefined, etag: etag ?? undefined }
    found.set(key, { fingerprint, answer, isExpired: atMs < keptSinceMs })
  }
  return found
}

export function replayOf({ fingerprint, answer }: KeptAnswer, sent: Idempotency): WriteResult {
  return fingerprint === sent.fingerprint ? { type: 'replayed', answer } : { type: 'key_reused' }
}

/** The answers to idempotency keys that a batch finds and keeps. */
export class Answers {
  readonly #tx: Transaction
  readonly #nowMs: number
  readonly #known: Map<string, KeptAnswer>

  constructor(tx: Transaction, nowMs: number, known: Map<string, KeptAnswer>) {
    this.#tx = tx
    this.#nowMs = nowMs
    this.#known = known
  }

  find(key: string): KeptAnswer | undefined {
    const known = this.#known.get(key)
    return known?.isExpired ? undefined : known
  }

  put({ key, fingerprint }: Idempotency, answer: WriteAnswer): void {
    const column = this.#tx.dialect.bounded(key)
    // The row of an expired key moves to the end: rows are in the order of their age.
    if (this.#known.has(key)) this.#tx.later('DELETE FROM idempotency WHERE key = $1', column)
    this.#known.set(key, { fingerprint, answer, isExpired: false })
    this.#tx.later(
      `INSERT INTO idempotency (key, at_ms, fingerprint, status, location, etag, body)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      ...[column, this.#nowMs, fingerprint, answer.status, answer.location ?? null, answer.etag ?? null, answer.body],
    )
  }
}
