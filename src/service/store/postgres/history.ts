import { decodeId } from '../../../core/ids.ts'
import {
  fittingRows,
  HISTORY_COLUMNS,
  type HistoryPage,
  type HistoryQuery,
  historyColumns,
  historyPage,
  keyIdsOf,
  oldestKeptSerial,
  type ReadHistoryRow,
  serialBounds,
} from '../history.ts'
import type { Session, Value } from './database.ts'

const COLUMNS = HISTORY_COLUMNS.join(', ')

export async function readHistory(session: Session, query: HistoryQuery): Promise<HistoryPage> {
  const { limit } = query
  const rows = await readRows(session, query, { count: limit + 1, isWhole: false })
  const fitting = fittingRows(rows, limit)
  if (fitting === undefined) return named(session, rows, limit)
  return named(session, await readRows(session, query, { count: fitting + 1, isWhole: true }), fitting)
}

async function named(session: Session, rows: readonly ReadHistoryRow[], limit: number): Promise<HistoryPage> {
  const keyIds = keyIdsOf(rows)
  const names =
    keyIds.length === 0
      ? []
      : await session.all<readonly [string, string]>('SELECT id, name FROM api_keys WHERE id = ANY($1::text[])', keyIds)
  return historyPage(rows, limit, new Map(names))
}

interface Reading {
  readonly count: number
  /** With values of any size. */
  readonly isWhole: boolean
}

async function readRows(session: Session, query: HistoryQuery, reading: Reading): Promise<readonly ReadHistoryRow[]> {
  const { sql, values } = historyStatement(query, reading)
  return session.all<ReadHistoryRow>(sql, ...values)
}

/** The column of the first that is given drives the walk, as in filter-query.ts, which explains its form. */
function historyStatement(
  query: HistoryQuery,
  { count, isWhole }: Reading,
): { readonly sql: string; readonly values: readonly Value[] } {
  const { record, job, keyIds, resource } = query
  const { least, below } = serialBounds(query)
  const given = [
    ['record_id', 'bigint', record && [decodeId(record.resource, record.id) ?? -1]],
    ['job', 'text', job === undefined ? undefined : [job]],
    ['key_id', 'text', keyIds && [...new Set(keyIds)]],
    ['resource', 'text', resource === undefined ? undefined : [resource]],
  ] as const
  const values: Value[] = [below, count, least]
  const put = (value: Value): string => `$${values.push(value)}`
  const [driver, ...others] = given.flatMap(([column, type, wanted]) => (wanted ? [{ column, type, wanted }] : []))
  const conditions = others.map(({ column, type, wanted }) => `${column} = ANY(${put(wanted)}::${type}[])`)
  const where = conditions.length === 0 ? '' : `WHERE CASE WHEN ${conditions.join(' AND ')} THEN true END `
  const columns = historyColumns(isWhole ? undefined : '$2::bigint')
  if (!driver) {
    return {
      sql: `SELECT ${columns} FROM history WHERE id < $1 AND id >= $3 ORDER BY id DESC LIMIT $2::bigint`,
      values,
    }
  }
  const { column, type, wanted } = driver
  const walked = `SELECT * FROM history WHERE (${column}, -id) > (wanted.value, -$1::bigint)
      AND (${column}, -id) <= (wanted.value, -$3::bigint) AND ${column} IS NOT NULL ORDER BY ${column}, -id OFFSET 0`
  const sql = `SELECT ${columns} FROM unnest(${put(wanted)}::${type}[]) AS wanted (value)
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM (${walked}) AS walked ${where}LIMIT $2::bigint) AS found
    ORDER BY id DESC LIMIT $2::bigint`
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
