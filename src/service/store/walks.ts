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

/** Newest first, from `least` on and below `below`. */
export interface WalkedPage {
  readonly below: number
  readonly least: number
  readonly count: number
  /** What is selected, and the place of `id` in it. */
  readonly select: string
  readonly idAt: number
}

/** The parameter that has the count of a page. */
export const PAGE_COUNT = 'CAST($2 AS bigint)'

/** SQLite merges at most 500 selects per statement. With 97 values, groups of this size were measured twice as fast as one. */
const MAX_MERGED = 32

/** Walks the driving index, or the table, back in time until the page is full; the walks of several values are merged. */
export async function readWalk<Row extends readonly unknown[]>(
  session: Session,
  { table, columns, bounds = [] }: Walked,
  { below, least, count, select, idAt }: WalkedPage,
): Promise<readonly Row[]> {
  const { walk, unwalked, isIn } = session.dialect
  const values: Value[] = [below, count, least]
  const put = (value: Value): string => `$${values.push(value)}`
  const [driver, ...others] = columns.filter((each) => each.values.length > 0)
  const conditions = [
    ...others.map(({ name, type, values: wanted }) => {
      const [only = null] = wanted
      // One text for any number of values.
      return wanted.length === 1 ? `${unwalked(name)} = ${put(only)}` : isIn(unwalked(name), put(wanted), type)
    }),
    ...bounds.map(([condition, value]) => `${condition} ${put(value)}`),
  ]
  const textOf = (walks: readonly string[]) => `${walks.join(' UNION ALL ')} ORDER BY id DESC LIMIT ${PAGE_COUNT}`
  if (!driver) return session.all<Row>(textOf([walk({ select, table, conditions })]), ...values)
  const { name, index } = driver
  const pages = await Promise.all(
    chunksOf([...new Set(driver.values)], MAX_MERGED).map((chunk) => {
      const walks = chunk.map((_, place) =>
        walk({ select, table, conditions, driver: { column: name, index, value: `$${values.length + 1 + place}` } }),
      )
      return session.all<Row>(textOf(walks), ...values, ...chunk)
    }),
  )
  const [only] = pages
  if (only && pages.length === 1) return only
  return pages
    .flat()
    .sort((left, right) => Number(right[idAt]) - Number(left[idAt]))
    .slice(0, count)
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
