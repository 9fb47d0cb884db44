import { READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import { GAP } from './table-lines.ts'

export interface WantedColumn {
  readonly name: string
  /** Widest cell or header. */
  readonly width: number
  readonly isEmpty: boolean
}

/** Fields set by the server are the least informative; they are omitted from the last to the first. An id is always kept. */
const LEAST_WANTED = READ_ONLY_FIELDS.filter((name) => name !== 'id')

/** From this width on, cutting a cell loses less than omitting a column. */
const MOST_WANTED = 40

/**
 * The columns to omit so that the others fit: empty ones first, then those set by the server, from the right. All of these
 * when that is not enough.
 */
export function columnsToOmit(columns: readonly WantedColumn[], available: number): ReadonlySet<string> {
  const omitted = new Set<string>()
  const empty = columns.filter(({ isEmpty, name }) => isEmpty && name !== 'id').map(({ name }) => name)
  const leastWanted = LEAST_WANTED.filter((name) => columns.some((column) => column.name === name))
  const candidates = [...empty, ...leastWanted.toReversed()]
  const wanted = () => {
    const widths = columns
      .filter(({ name }) => !omitted.has(name))
      .map(({ width }) => Math.min(width, MOST_WANTED) + GAP)
    return widths.reduce((total, width) => total + width, -GAP)
  }
  for (const name of candidates) {
    if (wanted() <= available) break
    omitted.add(name)
  }
  return omitted
}
