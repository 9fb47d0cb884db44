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
