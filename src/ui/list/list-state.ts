import { idText, isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { orderRows, type Sort } from './finding.ts'

export type Loading = 'idle' | 'page' | 'all'

/** A change of a record. The row need not be loaded any more. */
export type Edit = { readonly row: CrmRecord; readonly patch: JsonObject }

export interface LoadFailure {
  readonly text: string
  /** The server answers, but its answers do not show the rest or the end of the list; another try answers the same. */
  readonly isOfAnswer: boolean
}

/** A list on a screen. Changes of the rows keep marks, by id, and the cursor, by its row. */
export interface ListState {
  /** The loaded rows, in the server's order; earlier ones may have been dropped. */
  readonly rows: readonly CrmRecord[]
  readonly searched: readonly string[]
  /** The number of earlier rows that were dropped. */
  readonly droppedCount: number
  /** Indices of the rows that are shown; undefined shows all, in the order of the server. */
  readonly order: readonly number[] | undefined
  readonly cursor: number
  readonly top: number
  /** The selected column, by the name of its member. */
  readonly column: string
  readonly sort: Sort | undefined
  readonly filter: string
  readonly serverFilters: Readonly<Record<string, string>>
  readonly marks: ReadonlySet<string>
  readonly anchor: number | undefined
  readonly gone: ReadonlySet<string>
  readonly isDetailOpen: boolean
  readonly loading: Loading
  readonly nextCursor: string | undefined
  readonly isComplete: boolean
  /** A reload was requested, and its first page was not received yet. */
  readonly isStale: boolean
  /** Why the list could not be loaded further. */
  readonly failure: LoadFailure | undefined
  /** Changes on the server that are not shown yet. */
  readonly news: number
  /** When the shown records were last read; undefined for lists of this machine. */
  readonly readAtMs: number | undefined
  readonly isRefreshRefused: boolean
  /** What the rows are, where they are not those of the server's list: `the 3 records of job_0abc`. A reload ends this. */
  readonly only?: string | undefined
}

export function emptyList(column: string): ListState {
  return {
    ...{ rows: [], searched: [], droppedCount: 0, order: undefined, cursor: 0, top: 0, column, sort: undefined },
    ...{ filter: '', serverFilters: {}, marks: new Set(), anchor: undefined, gone: new Set(), isDetailOpen: false },
    ...{ loading: 'idle', nextCursor: undefined, isComplete: false, isStale: false, failure: undefined, news: 0 },
    ...{ readAtMs: undefined, isRefreshRefused: false },
  }
}

export function shownCount({ order, rows }: ListState): number {
  return order ? order.length : rows.length
}

export function shownRow(list: ListState, position: number): CrmRecord | undefined {
  return list.rows[list.order ? (list.order[position] ?? -1) : position]
}

export function currentRow(list: ListState): CrmRecord | undefined {
  return shownRow(list, list.cursor)
}

export function rowId(row: CrmRecord | undefined): string | undefined {
  return row && idText(row.id)
}

export function rowVersion({ version }: CrmRecord): string | undefined {
  return typeof version === 'number' ? String(version) : undefined
}

/** The maximum number of rows held; a longer list is paged through. */
export const MOST_ROWS = 110_000
/** How many more than necessary are dropped, so that not every page drops some. */
const DROPPED_AHEAD = 20_000

export interface LoadedPage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: string | undefined
  /** No cursor, but the end of the list is not known either. */
  readonly isOpen?: boolean
  readonly searched: readonly string[]
}

/** The first page of a reload replaces the rows in one step. */
export function takePage(list: ListState, { items, nextCursor, isOpen = false, searched }: LoadedPage): ListState {
  const before: Pick<ListState, 'rows' | 'droppedCount'> = list.isStale ? { rows: [], droppedCount: 0 } : list
  const rows = before.rows.concat(items)
  // Several pages can arrive at once, with more rows than are usually dropped.
  const excess = rows.length - MOST_ROWS
  const drop = excess > 0 && list.filter === '' && !list.sort ? excess + DROPPED_AHEAD : 0
  const next: ListState = {
    ...list,
    rows: drop > 0 ? rows.slice(drop) : rows,
    searched,
    droppedCount: before.droppedCount + drop,
    nextCursor,
    isComplete: nextCursor === undefined && !isOpen,
    isStale: false,
    failure: undefined,
    isRefreshRefused: list.isStale ? false : list.isRefreshRefused,
    news: list.isStale ? 0 : list.news,
    only: list.isStale ? undefined : list.only,
    gone: list.isStale ? new Set() : list.gone,
  }
  return list.isStale ? reordered(next, rowId(currentRow(list))) : withAddedRows(next, list, drop)
}

/** Added rows never move the row under the cursor. */
function withAddedRows(next: ListState, before: ListState, drop: number): ListState {
  if (next.filter === '' && !next.sort) {
    return { ...next, cursor: Math.max(0, next.cursor - drop), top: Math.max(0, next.top - drop) }
  }
  if (next.sort) return reordered(next, rowId(currentRow(before)))
  const added = orderRows(next, before.rows.length)
  return { ...next, order: (before.order ?? []).concat(added ?? []) }
}

/** Applies filter and sort again; the cursor stays on the row of this id, and the row on its line of the screen. */
export function reordered(list: ListState, id: string | undefined): ListState {
  const next = { ...list, order: orderRows(list), anchor: undefined }
  const line = list.cursor - list.top
  const found = id === undefined ? -1 : shownPosition(next, id)
  const cursor = found >= 0 ? found : Math.max(0, Math.min(list.cursor, shownCount(next) - 1))
  return { ...next, cursor, top: Math.max(0, cursor - line) }
}

export function shownPosition(list: ListState, id: string): number {
  const count = shownCount(list)
  for (let position = 0; position < count; position++) if (rowId(shownRow(list, position)) === id) return position
  return -1
}

/** Replaces the row by the server's answer; a row that is not in the list is put on top. */
export function putRow(list: ListState, row: CrmRecord, searched: readonly string[]): ListState {
  const id = rowId(row)
  const index = list.rows.findIndex((each) => rowId(each) === id)
  if (index < 0) {
    const next = { ...list, rows: [row, ...list.rows], searched }
    return reordered({ ...next, cursor: 0, top: 0 }, id)
  }
  return orderedAgain({ ...list, rows: list.rows.with(index, row), searched })
}

/** With other values of its rows. */
function orderedAgain(list: ListState): ListState {
  return list.sort || list.filter !== '' ? reordered(list, rowId(currentRow(list))) : list
}

/**
 * The values of the first page as the server has them now, in the rows that are loaded, each at its place whatever sort and filter
 * say. Records that are not loaded are counted; behind the last loaded one of the page they only moved up where others were deleted.
 */
export function withRefreshed(list: ListState, items: readonly CrmRecord[]): ListState {
  const fresh = new Map(items.map((item) => [rowId(item), item]))
  const loaded = new Set(list.rows.map(rowId))
  const last = list.isComplete ? items.length : items.findLastIndex((item) => loaded.has(rowId(item)))
  const news = list.droppedCount > 0 ? 0 : items.slice(0, last).filter((item) => !loaded.has(rowId(item))).length
  return { ...withValues(list, (row) => fresh.get(rowId(row))), news }
}

/** The same list where nothing has changed. */
export function withValues(list: ListState, newValueOf: (row: CrmRecord) => CrmRecord | undefined): ListState {
  let isChanged = false
  const rows = list.rows.map((row) => {
    const value = newValueOf(row)
    if (!value || isSameJson(row, value)) return row
    isChanged = true
    return value
  })
  return isChanged ? { ...list, rows } : list
}

/** In one pass, however many they are. */
export function removeRows(before: ListState, ids: readonly string[]): ListState {
  const gone = new Set(ids)
  const list = { ...before, marks: new Set([...before.marks].filter((id) => !gone.has(id))) }
  const isLeft = list.rows.map((row) => !gone.has(rowId(row) ?? ''))
  if (!isLeft.includes(false)) return list
  const current = rowId(currentRow(list))
  const next = { ...list, rows: list.rows.filter((_, at) => isLeft[at]) }
  return reordered(next, current === undefined || gone.has(current) ? undefined : current)
}

/** The rows as they are after the edits: one pass, however many they are. */
export function withSaved(list: ListState, edits: readonly Edit[]): ListState {
  const patches = new Map(edits.map(({ row, patch }) => [rowId(row), patch]))
  const rows = list.rows.slice()
  for (const [at, row] of list.rows.entries()) {
    const patch = patches.get(rowId(row))
    if (!patch) continue
    // The new version is unknown, and the next edit must not depend on the old one.
    const { version: _, ...saved } = { ...row, ...patch }
    rows[at] = saved
  }
  return orderedAgain({ ...list, rows })
}

/**
 * Moves the cursor; the window follows. At an edge it jumps by half a screen: scrolling by a line would rewrite the whole
 * screen each time, which is slow on a slow connection.
 */
export function moveTo(list: ListState, position: number, height: number): ListState {
  const cursor = Math.max(0, Math.min(position, shownCount(list) - 1))
  return { ...list, cursor, top: topFor(list, cursor, height) }
}

export function moveBy(list: ListState, lines: number, height: number): ListState {
  return moveTo(list, list.cursor + lines, height)
}

function topFor(list: ListState, cursor: number, height: number): number {
  const most = Math.max(0, shownCount(list) - height)
  const half = Math.floor(height / 2)
  if (cursor < list.top) return Math.max(0, Math.min(cursor, list.top - half))
  if (cursor >= list.top + height) return Math.min(most, Math.max(cursor - height + 1, list.top + half))
  return Math.max(0, Math.min(list.top, most))
}

export function toggleMark(list: ListState): ListState {
  const id = rowId(currentRow(list))
  if (id === undefined) return list
  const marks = new Set(list.marks)
  if (!marks.delete(id)) marks.add(id)
  return { ...list, marks }
}

/** The first call begins a range, the second marks it. */
export function markRange(list: ListState): ListState {
  if (list.anchor === undefined) return { ...list, anchor: list.cursor }
  const [from, to] = [Math.min(list.anchor, list.cursor), Math.max(list.anchor, list.cursor)]
  return { ...list, anchor: undefined, marks: new Set([...list.marks, ...idsBetween(list, from, to + 1)]) }
}

export function markShown(list: ListState): ListState {
  return { ...list, marks: new Set([...list.marks, ...idsBetween(list, 0, shownCount(list))]) }
}

export function clearMarks(list: ListState): ListState {
  return { ...list, marks: new Set(), anchor: undefined }
}

/** The rows of an action: the marked rows if any, else the row under the cursor. */
export function chosenRows(list: ListState): readonly CrmRecord[] {
  if (list.marks.size > 0) return list.rows.filter((row) => list.marks.has(rowId(row) ?? ''))
  const row = currentRow(list)
  return row ? [row] : []
}

function idsBetween(list: ListState, from: number, to: number): readonly string[] {
  const ids: string[] = []
  for (let position = from; position < to; position++) {
    const id = rowId(shownRow(list, position))
    if (id !== undefined) ids.push(id)
  }
  return ids
}

export function setFilter(list: ListState, filter: string): ListState {
  return { ...list, filter, order: orderRows({ ...list, filter }), cursor: 0, top: 0, anchor: undefined }
}

/** Ascending, descending, and the order of the server. */
export function cycleSort(list: ListState): ListState {
  const { sort: before, column: by } = list
  const sort = before?.by === by && before.isDescending ? undefined : { by, isDescending: before?.by === by }
  return reordered({ ...list, sort }, rowId(currentRow(list)))
}

export function selectColumn(list: ListState, names: readonly string[], step: number): ListState {
  const index = Math.max(0, names.indexOf(list.column))
  return { ...list, column: names[Math.max(0, Math.min(index + step, names.length - 1))] ?? list.column }
}

const counted = new WeakMap<object, { readonly marks: unknown; readonly count: number }>()

/** The number of marked rows that the filter hides, or that are no longer loaded; counted once for each order and its marks. */
export function hiddenMarkCount(list: ListState): number {
  const { marks, order, rows } = list
  if (marks.size === 0) return 0
  const key = order ?? rows
  const known = counted.get(key)
  if (known?.marks === marks) return known.count
  const count = marks.size - shownMarks(list).size
  counted.set(key, { marks, count })
  return count
}

export function shownMarks(list: ListState): ReadonlySet<string> {
  return new Set(idsBetween(list, 0, shownCount(list)).filter((id) => list.marks.has(id)))
}
