import { firstSerialAt, LAST_SERIAL } from '../../core/ids.ts'
import type { Session, Value } from './sql.ts'

/** A table, and what the rows of a walk over it have. */
export interface Walked {
  readonly table: string
  /** Values are alternatives; without values any will do. The first with values drives the walk: it likely leaves the fewest rows. */
  readonly columns: readonly WalkedColumn[]
  /** Conditions without their last operand, and that. */
  readonly bounds?: readonly (readonly [condition: string, value: number])[]
}

interface WalkedColumn {
  readonly name: string
  /** Begins with the column. */
  readonly index: string
  readonly type: 'bigint' | 'text'
  readonly values: readonly (string | number)[]
}

/** Newest first, from `least` on, 0 for all, and below `below`. */
export interface WalkedPage {
  readonly below: number
  readonly least: number
  readonly count: number
  readonly select: string
}

/** The parameter that has the count of a page. */
export const PAGE_COUNT = 'CAST($2 AS bigint)'

/** SQLite merges at most 500 selects per statement. With 97 values, groups of this size were measured twice as fast as one. */
const MAX_MERGED = 32

/** Walks the driving index, or the table, back in time until the page is full; the walks of several values are merged. */
export async function readWalk<Row extends readonly unknown[]>(
  session: Session,
  { table, columns, bounds = [] }: Walked,
  { below, least, count, select }: WalkedPage,
): Promise<readonly Row[]> {
  const { walk, unwalked, isIn } = session.dialect
  const values: Value[] = [below, count]
  const put = (value: Value): string => `$${values.push(value)}`
  const from = least === 0 ? undefined : put(least)
  const [driver, ...others] = columns.filter((each) => each.values.length > 0)
  const conditions = [
    ...others.map(({ name, type, values: wanted }) => {
      const [only = null] = wanted
      // One text for any number of values.
      return wanted.length === 1 ? `${unwalked(name)} = ${put(only)}` : isIn(unwalked(name), put(wanted), type)
    }),
    ...bounds.map(([condition, value]) => `${condition} ${put(value)}`),
  ]
  const given = { table, least: from, conditions }
  if (!driver) return session.all<Row>(walk({ ...given, select }), ...values)
  const { name, index } = driver
  const wanted = [...new Set(driver.values)]
  const valueAt = (place: number) => ({ column: name, index, value: `$${values.length + 1 + place}` })
  const [only] = wanted
  if (only !== undefined && wanted.length === 1) {
    return session.all<Row>(walk({ ...given, select, driver: valueAt(0) }), ...values, only)
  }
  const pages = await Promise.all(
    chunksOf(wanted, MAX_MERGED).map((chunk) => {
      const walks = chunk.map((_, place) => ({ ...given, select: `${select}, id AS serial`, driver: valueAt(place) }))
      return session.all<Row>(session.dialect.mergedWalks(walks), ...values, ...chunk)
    }),
  )
  const serialOf = (row: Row) => Number(row.at(-1))
  const [first] = pages
  if (first && pages.length === 1) return first
  return pages
    .flat()
    .sort((left, right) => serialOf(right) - serialOf(left))
    .slice(0, count)
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}

/** The first serial of a time, within what a database holds. */
export function serialAt(timeMs: number): number {
  return Math.max(0, Math.min(firstSerialAt(timeMs), LAST_SERIAL))
}

/** The texts of a page have no more bytes than this in total, unless its first record alone has. */
export const PAGE_BYTES = 1024 * 1024

/** How many of the rows whose sizes these are fit into a page. */
export function countFitting(sizes: readonly number[]): number {
  let sum = 0
  const first = sizes.findIndex((size) => {
    sum += size
    return sum > PAGE_BYTES
  })
  return first < 0 ? sizes.length : Math.max(1, first)
}

/** A record as its `PageColumn`. */
export type ReadRow = readonly [text: string | number | null, ...unknown[]]

/**
 * What is read of a record: its text, if a page of `count` such records is small enough, and else null, for which a database
 * reads no more than its size; its size; or its text.
 */
export type PageColumn = 'small' | 'size' | 'text'

/** `count` is a parameter of the statement. */
export function pageColumn(column: PageColumn, count: string): string {
  if (column === 'text') return 'text'
  if (column === 'size') return 'octet_length(text) AS text'
  return `CASE WHEN octet_length(text) * ${count} <= ${PAGE_BYTES} THEN text END AS text`
}

export function hasText(row: ReadRow): row is readonly [text: string, ...unknown[]] {
  return typeof row[0] === 'string'
}
