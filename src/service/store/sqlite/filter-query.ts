import type { SQLInputValue } from 'node:sqlite'
import { firstSerialAt } from '../../../core/ids.ts'
import { filterFields, type OpenResource, RESOURCES } from '../../../core/resources/registry.ts'
import { filterValue } from '../change-rules.ts'
import { type PageColumn, pageColumn, type ReadRow } from '../page-bytes.ts'
import type { DealFilters, PlainFilters } from '../store.ts'
import type { Connection } from './connection.ts'

export type PageRow = readonly [text: ReadRow[0], serial: number]

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

export function queryDeals(db: Connection, filters: DealFilters, walk: Walk): readonly PageRow[] {
  const { names, ownerIds, stages, pipelineIds } = filters
  const columns = [
    ['name', names],
    ['owner_id', ownerIds],
    ['stage', stages],
    ['pipeline_id', pipelineIds],
  ] as const
  return queryFiltered(db, { ...filters, table: RESOURCES.deal.plural, columns }, walk)
}

export function queryPlain(
  db: Connection,
  resource: OpenResource,
  filters: PlainFilters,
  walk: Walk,
): readonly PageRow[] {
  const columns = filterFields(resource).map((name) => {
    const sent = filters.values[name] ?? []
    // No row has the empty text.
    return [name, [...new Set(sent.map((value) => filterValue(resource, name, value) ?? ''))]] as const
  })
  return queryFiltered(db, { ...filters, table: RESOURCES[resource].plural, columns }, walk)
}

/** The name of the index on a column. */
export function indexName(table: string, column: string): string {
  return `${table}_by_${column.replace(/_id$/, '')}`
}

/** SQLite merges at most 500 selects per statement. With 97 values, groups of this size were measured twice as fast as one. */
const MAX_MERGED = 32

/**
 * Scans the driving index, or the table, back in time until the page is full; several values are merged scans.
 * `INDEXED BY` and `+` keep the planner from sorting all matches instead, also after ANALYZE.
 */
function queryFiltered(db: Connection, filters: Filtered, walk: Walk): readonly PageRow[] {
  const { table } = filters
  const driver = filters.columns.find(([, values]) => values.length > 0)
  const { conditions, values } = remainingConditions(filters, driver?.[0])
  const fixed: SQLInputValue[] = [belowSerial(filters, walk), walk.count, ...values]
  const columns = `${pageColumn(walk.column, '?2')}, id`
  if (!driver) {
    const where = ['id < ?1', ...conditions].join(' AND ')
    return db.all<PageRow>(`SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ?2 + 0`, ...fixed)
  }
  const [driving, wanted] = driver
  const pages = chunksOf([...new Set(wanted)], MAX_MERGED).map((chunk) => {
    const walks = chunk.map((_, place) => {
      const where = [`${driving} = ?${fixed.length + 1 + place}`, 'id < ?1', ...conditions].join(' AND ')
      return `SELECT ${columns} FROM ${table} INDEXED BY ${indexName(table, driving)} WHERE ${where}`
    })
    return db.all<PageRow>(`${walks.join(' UNION ALL ')} ORDER BY id DESC LIMIT ?2 + 0`, ...fixed, ...chunk)
  })
  const [only] = pages
  if (only && pages.length === 1) return only
  return pages
    .flat()
    .sort(([, left], [, right]) => right - left)
    .slice(0, walk.count)
}

/** The conditions not covered by the driving index, with parameters from ?3. */
function remainingConditions(filters: Filtered, driving: string | undefined) {
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: (parameter: string) => string, value: SQLInputValue) => {
    values.push(value)
    conditions.push(condition(`?${values.length + 2}`))
  }
  for (const [column, wanted] of filters.columns) {
    const [first] = wanted
    if (column === driving || first === undefined) continue
    if (wanted.length === 1) add((parameter) => `+${column} = ${parameter}`, first)
    // One statement text for any number of values.
    else add((list) => `+${column} IN (SELECT value FROM json_each(${list}))`, JSON.stringify(wanted))
  }
  if (filters.amountAtLeast !== undefined) add((parameter) => `amount >= ${parameter}`, filters.amountAtLeast)
  if (filters.amountAtMost !== undefined) add((parameter) => `amount <= ${parameter}`, filters.amountAtMost)
  if (filters.createdSinceMs !== undefined) {
    add((parameter) => `id >= ${parameter}`, firstSerialAt(Math.ceil(filters.createdSinceMs)))
  }
  return { conditions, values }
}

function belowSerial({ createdUntilMs }: Filtered, walk: Walk): number {
  if (createdUntilMs === undefined) return walk.belowSerial
  return Math.min(walk.belowSerial, firstSerialAt(Math.floor(createdUntilMs) + 1))
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
