import type { SQLInputValue } from 'node:sqlite'
import { firstSerialAt } from '../../../core/ids.ts'
import type { DealFilters } from '../store.ts'
import type { Connection } from './connection.ts'

export type PageRow = readonly [text: string, serial: number]

/** Newest first, below `belowSerial`, at most `count` rows. */
export interface Walk {
  readonly belowSerial: number
  readonly count: number
}

/** The first filter in this order that is set drives the scan: it likely leaves the fewest rows. */
const DRIVERS = [
  { filter: 'names', column: 'name', index: 'deals_by_name' },
  { filter: 'ownerIds', column: 'owner_id', index: 'deals_by_owner' },
  { filter: 'stages', column: 'stage', index: 'deals_by_stage' },
  { filter: 'pipelineIds', column: 'pipeline_id', index: 'deals_by_pipeline' },
] as const

/** SQLite merges at most 500 selects per statement. With 97 values, groups of this size were measured twice as fast as one. */
const MAX_MERGED = 32

/**
 * Scans the driving index, or the table, back in time until the page is full; several values are merged scans.
 * `INDEXED BY` and `+` keep the planner from sorting all matches instead, also after ANALYZE.
 */
export function queryDeals(db: Connection, filters: DealFilters, walk: Walk): readonly PageRow[] {
  const driver = DRIVERS.find(({ filter }) => filters[filter].length > 0)
  const { conditions, values } = remainingConditions(filters, driver?.column)
  const fixed: SQLInputValue[] = [belowSerial(filters, walk), walk.count, ...values]
  if (!driver) {
    const where = ['id < ?1', ...conditions].join(' AND ')
    return db.all<PageRow>(`SELECT text, id FROM deals WHERE ${where} ORDER BY id DESC LIMIT ?2 + 0`, ...fixed)
  }
  const pages = chunksOf([...new Set(filters[driver.filter])], MAX_MERGED).map((chunk) => {
    const walks = chunk.map((_, place) => {
      const where = [`${driver.column} = ?${fixed.length + 1 + place}`, 'id < ?1', ...conditions].join(' AND ')
      return `SELECT text, id FROM deals INDEXED BY ${driver.index} WHERE ${where}`
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
function remainingConditions(filters: DealFilters, driving: string | undefined) {
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: (parameter: string) => string, value: SQLInputValue) => {
    values.push(value)
    conditions.push(condition(`?${values.length + 2}`))
  }
  for (const { filter, column } of DRIVERS) {
    const [first] = filters[filter]
    if (column === driving || first === undefined) continue
    if (filters[filter].length === 1) add((parameter) => `+${column} = ${parameter}`, first)
    // One statement text for any number of values.
    else add((list) => `+${column} IN (SELECT value FROM json_each(${list}))`, JSON.stringify(filters[filter]))
  }
  if (filters.amountAtLeast !== undefined) add((parameter) => `amount >= ${parameter}`, filters.amountAtLeast)
  if (filters.amountAtMost !== undefined) add((parameter) => `amount <= ${parameter}`, filters.amountAtMost)
  if (filters.createdSinceMs !== undefined) {
    add((parameter) => `id >= ${parameter}`, firstSerialAt(Math.ceil(filters.createdSinceMs)))
  }
  return { conditions, values }
}

function belowSerial({ createdUntilMs }: DealFilters, walk: Walk): number {
  if (createdUntilMs === undefined) return walk.belowSerial
  return Math.min(walk.belowSerial, firstSerialAt(Math.floor(createdUntilMs) + 1))
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
