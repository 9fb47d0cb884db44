import { READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import { GAP } from './table-lines.ts'

export interface WantedColumn {
  readonly name: string
  /** Widest cell or header. */
  readonly width: number
  readonly isEmpty: boolean
}

/** What the server writes says least; the last of these goes first. An id always stays. */
const SPARED = READ_ONLY_FIELDS.filter((name) => name !== 'id')

/** Beyond this a cell that is cut loses less than a column that is left out. */
const MOST_WANTED = 40

/**
 * The columns that are left out, so that the others have the room they want: those that are empty, then those that only
 * the server writes, from the right. When that is not enough, all of them.
 */
export function columnsThatGiveWay(columns: readonly WantedColumn[], available: number): ReadonlySet<string> {
  const gone = new Set<string>()
  const empty = columns.filter(({ isEmpty, name }) => isEmpty && name !== 'id').map(({ name }) => name)
  const spared = SPARED.filter((name) => columns.some((column) => column.name === name))
  const candidates = [...empty, ...spared.toReversed()]
  const wanted = () => {
    const widths = columns.filter(({ name }) => !gone.has(name)).map(({ width }) => Math.min(width, MOST_WANTED) + GAP)
    return widths.reduce((total, width) => total + width, -GAP)
  }
  for (const name of candidates) {
    if (wanted() <= available) break
    gone.add(name)
  }
  return gone
}
