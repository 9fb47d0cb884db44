import { oldestKeptSerial } from '../history.ts'
import type { Value } from '../sql.ts'

interface Pruning {
  readonly nowMs: number
  readonly historyMs: number
  /** At most so many. */
  readonly count: number
}

/** The statement that deletes some of the oldest entries that are too old; undefined where none is. */
export function pruneStatement({
  nowMs,
  historyMs,
  count,
}: Pruning): readonly [sql: string, ...values: Value[]] | undefined {
  const below = oldestKeptSerial(nowMs, historyMs)
  if (below === undefined) return undefined
  const sql = `DELETE FROM history WHERE id = ANY (ARRAY(
    SELECT id FROM history WHERE id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))`
  return [sql, Math.max(0, below), count]
}
