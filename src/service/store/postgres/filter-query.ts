import { firstSerialAt, LAST_SERIAL } from '../../../core/ids.ts'
import { filterFields, type OpenResource, RESOURCES } from '../../../core/resources/registry.ts'
import { filterValue } from '../change-rules.ts'
import { type PageColumn, pageColumn, type ReadRow } from '../page-bytes.ts'
import type { DealFilters, PlainFilters } from '../store.ts'
import { bounded } from './bounded-text.ts'
import type { Session, Value } from './database.ts'

/** Newest first, below `belowSerial`, at most `count` rows. */
export interface Walk {
  readonly belowSerial: number
  readonly count: number
  readonly column: PageColumn
}

/** A table and what its rows must have. */
interface Filtered {
  readonly table: string
  /** Values are alternatives. The first column with values drives the scan: it likely leaves the fewest rows. */
  readonly columns: readonly (readonly [name: string, values: readonly string[]])[]
  readonly amountAtLeast?: number | undefined
  readonly amountAtMost?: number | undefined
  readonly createdSinceMs: number | undefined
  readonly createdUntilMs: number | undefined
}

export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

export function dealsStatement(filters: DealFilters, walk: Walk): Statement {
  const { names, ownerIds, stages, pipelineIds } = filters
  const columns = [
    ['name', names],
    ['owner_id', ownerIds],
    ['stage', stages],
    ['pipeline_id', pipelineIds],
  ] as const
  return filteredStatement({ ...filters, table: RESOURCES.deal.plural, columns }, walk)
}

export function plainStatement(resource: OpenResource, filters: PlainFilters, walk: Walk): Statement {
  const columns = filterFields(resource).map((name) => {
    const sent = filters.values[name] ?? []
    // No row has the empty text.
    return [name, sent.map((value) => filterValue(resource, name, value) ?? '')] as const
  })
  return filteredStatement({ ...filters, table: RESOURCES[resource].plural, columns }, walk)
}

export async function readRows(session: Session, { sql, values }: Statement): Promise<readonly ReadRow[]> {
  return session.all<ReadRow>(sql, ...values)
}

/**
 * Walks the driving index, or the table, back in time until the page is full; the walks of several values are merged. Nothing
 * in it tells the planner that few rows match, or it would read and sort them all, which may be half of the table: two bounds
 * on column and id stand for the equality, OFFSET 0 keeps the other conditions outside of the walk, and CASE hides what they are.
 */
function filteredStatement(filters: Filtered, walk: Walk): Statement {
  const { table, columns } = filters
  const values: Value[] = [belowSerial(filters, walk), walk.count, sinceSerial(filters)]
  const put = (value: Value): string => `$${values.push(value)}`
  const driver = columns.find(([, wanted]) => wanted.length > 0)
  const conditions = remainingConditions(filters, driver?.[0], put)
  const text = pageColumn(walk.column, '$2::bigint')
  const where = conditions.length === 0 ? '' : `WHERE CASE WHEN ${conditions.join(' AND ')} THEN true END `
  if (!driver) {
    const walked = `SELECT * FROM ${table} WHERE id < $1 AND id >= $3 ORDER BY id DESC OFFSET 0`
    return { sql: `SELECT ${text} FROM (${walked}) AS walked ${where}LIMIT $2::bigint`, values }
  }
  const [column, wanted] = driver
  const walked = `SELECT * FROM ${table} WHERE (${column}, -id) > (wanted.value, -$1::bigint)
      AND (${column}, -id) <= (wanted.value, -$3::bigint) ORDER BY ${column}, -id OFFSET 0`
  const sql = `SELECT ${text} FROM unnest(${put([...new Set(wanted.map(bounded))])}::text[]) AS wanted (value)
    CROSS JOIN LATERAL (SELECT text, id FROM (${walked}) AS walked ${where}LIMIT $2::bigint) AS found
    ORDER BY found.id DESC LIMIT $2::bigint`
  return { sql, values }
}

/** The conditions not covered by the walk. */
function remainingConditions(
  filters: Filtered,
  driving: string | undefined,
  put: (value: Value) => string,
): readonly string[] {
  const conditions: string[] = []
  for (const [column, wanted] of filters.columns) {
    if (column === driving || wanted.length === 0) continue
    conditions.push(`${column} = ANY(${put(wanted.map(bounded))}::text[])`)
  }
  if (filters.amountAtLeast !== undefined) conditions.push(`amount >= ${put(filters.amountAtLeast)}::double precision`)
  if (filters.amountAtMost !== undefined) conditions.push(`amount <= ${put(filters.amountAtMost)}::double precision`)
  return conditions
}

/** The first of those that are wanted. */
function sinceSerial({ createdSinceMs }: Filtered): number {
  return createdSinceMs === undefined ? 0 : serialAt(Math.ceil(createdSinceMs))
}

function belowSerial({ createdUntilMs }: Filtered, walk: Walk): number {
  if (createdUntilMs === undefined) return walk.belowSerial
  return Math.min(walk.belowSerial, serialAt(Math.floor(createdUntilMs) + 1))
}

/** Within what a bigint holds, for any time. */
function serialAt(timeMs: number): number {
  return Math.max(0, Math.min(firstSerialAt(timeMs), LAST_SERIAL))
}
