import { decodeId } from '../../../core/ids.ts'
import {
  HISTORY_COLUMNS,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRow,
  historyPage,
  keyIdsOf,
  oldestKeptSerial,
  serialBounds,
} from '../history.ts'
import type { Session, Value } from './database.ts'

const COLUMNS = HISTORY_COLUMNS.join(', ')

export async function readHistory(session: Session, query: HistoryQuery): Promise<HistoryPage> {
  const { sql, values } = historyStatement(query)
  const rows = await session.all<HistoryRow>(sql, ...values)
  const keyIds = keyIdsOf(rows)
  const names =
    keyIds.length === 0
      ? []
      : await session.all<readonly [string, string]>('SELECT id, name FROM api_keys WHERE id = ANY($1::text[])', keyIds)
  return historyPage(rows, query.limit, new Map(names))
}

/** The column of the first that is given drives the walk, as in filter-query.ts, which explains its form. */
function historyStatement(query: HistoryQuery): { readonly sql: string; readonly values: readonly Value[] } {
  const { record, job, keyIds, resource } = query
  const { least, below } = serialBounds(query)
  const given = [
    ['record_id', 'bigint', record && [decodeId(record.resource, record.id) ?? -1]],
    ['job', 'text', job === undefined ? undefined : [job]],
    ['key_id', 'text', keyIds && [...new Set(keyIds)]],
    ['resource', 'text', resource === undefined ? undefined : [resource]],
  ] as const
  const values: Value[] = [below, query.limit + 1, least]
  const put = (value: Value): string => `$${values.push(value)}`
  const [driver, ...others] = given.flatMap(([column, type, wanted]) => (wanted ? [{ column, type, wanted }] : []))
  const conditions = others.map(({ column, type, wanted }) => `${column} = ANY(${put(wanted)}::${type}[])`)
  const where = conditions.length === 0 ? '' : `WHERE CASE WHEN ${conditions.join(' AND ')} THEN true END `
  if (!driver) {
    return { sql: `SELECT ${COLUMNS} FROM history WHERE id < $1 AND id >= $3 ORDER BY id DESC LIMIT $2`, values }
  }
  const { column, type, wanted } = driver
  const walked = `SELECT * FROM history WHERE (${column}, -id) > (wanted.value, -$1::bigint)
      AND (${column}, -id) <= (wanted.value, -$3::bigint) AND ${column} IS NOT NULL ORDER BY ${column}, -id OFFSET 0`
  const sql = `SELECT ${COLUMNS} FROM unnest(${put(wanted)}::${type}[]) AS wanted (value)
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM (${walked}) AS walked ${where}LIMIT $2) AS found
    ORDER BY id DESC LIMIT $2`
  return { sql, values }
}

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
