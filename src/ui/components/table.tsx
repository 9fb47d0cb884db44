import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { textWidth, wrapText } from '../../output/terminal-text.ts'
import {
  COLUMN_GAP,
  cellTextOf,
  type FittedColumn,
  fitAround,
  fitCell,
  fitShowing,
  fitState,
  type ListColumn,
  shortCell,
  sizedByContent,
  type TimeStyle,
} from '../list/columns.ts'
import { createMatcher, type Matcher } from '../list/finding.ts'
import { type ListState, rowId, shownCount, shownRow } from '../list/list-state.ts'
import { contradicts } from '../list/server-filters.ts'
import { type Theme, toneOf } from '../look/theme.ts'
import { entryOf } from '../screens/all-screens.tsx'
import { listOfScreen, SESSION_SCREENS } from '../screens.ts'
import type { State } from '../state.ts'

/** The first rows stand for all, so that columns stay where they are while a list is scrolled. */
const SAMPLED = 50
const LONGEST = 200
/** Cursor, mark, and a blank. */
const MARGIN = 3

export interface ListArea {
  readonly columns: readonly ListColumn[]
  readonly width: number
  readonly height: number
  readonly times: TimeStyle
  readonly searched: readonly string[]
  readonly empty: readonly string[]
}

export function listLines(list: ListState, area: ListArea, theme: Theme): readonly string[] {
  const matcher = createMatcher(list.filter)
  const finding = matcher && { matcher, searched: new Set(area.searched) }
  const sized = withRoomForGone(list, sizedByContent(list, area.columns, area.times))
  const columns = finding ? withFoundColumns(list, sized, finding) : sized
  const fitted = fitShowing(list.column, columns, area.width - MARGIN, widestUncut(list, area))
  const lines = [headLine(list, fitted, area.width, theme)]
  const count = shownCount(list)
  const top = visibleTop(list, area.height)
  for (let line = 0; line < area.height; line++) {
    const position = top + line
    const row = position < count ? shownRow(list, position) : undefined
    lines.push(
      row
        ? rowLine(list, { row, position, fitted, width: area.width, finding, times: area.times }, theme)
        : ' '.repeat(area.width),
    )
  }
  if (count === 0)
    for (const [at, text] of area.empty.entries()) lines[at + 2] = theme.dim(fitCell(`   ${text}`, area.width))
  return lines
}

const GONE = 'gone: '

/** The sign of a deleted record precedes its first cell. */
function withRoomForGone({ gone }: ListState, columns: readonly ListColumn[]): readonly ListColumn[] {
  const [first, ...rest] = columns
  if (gone.size === 0 || !first) return columns
  return [{ ...first, least: first.least + GONE.length, most: first.most + GONE.length }, ...rest]
}

/** The width of the contents of vital columns and of those that are never cut, in the rows that are visible. */
function widestUncut(list: ListState, { columns, height, times }: ListArea): ReadonlyMap<string, number> {
  const rows = Array.from({ length: height }, (_, line) => shownRow(list, visibleTop(list, height) + line))
  const uncut = columns.filter(({ isVital, isNeverCut, kind }) => isVital || isNeverCut || kind === 'time')
  return new Map(
    uncut.map((column) => {
      const textOf = (row: CrmRecord | undefined) =>
        column.kind === 'time'
          ? cellTextOf(column, row?.[column.name], { width: column.most, times })
          : cellText(row?.[column.name])
      return [column.name, Math.max(...rows.map((row) => textWidth(textOf(row))))]
    }),
  )
}

/** No blank lines below the last row while there are rows above the first line; the cursor is visible, if a message is below it. */
export function visibleTop(list: ListState, height: number): number {
  return Math.max(0, Math.min(list.top, shownCount(list) - height), list.cursor - height + 1)
}

function headLine(list: ListState, fitted: readonly FittedColumn[], width: number, theme: Theme): string {
  const cells = fitted.map(({ column, width: columnWidth }) => {
    const arrow = list.sort?.by === column.name ? (list.sort.isDescending ? ' ↓' : ' ↑') : ''
    const name = list.column === column.name ? `[${column.head}]` : column.head
    return fitCell(name + arrow, columnWidth, column.align)
  })
  return theme.bold(fitCell(' '.repeat(MARGIN) + cells.join(' '.repeat(COLUMN_GAP)), width))
}

interface RowToDraw {
  readonly row: CrmRecord
  readonly position: number
  readonly fitted: readonly FittedColumn[]
  readonly width: number
  readonly times: TimeStyle
  readonly finding: Finding | undefined
}

function rowLine(list: ListState, { row, position, fitted, width, finding, times }: RowToDraw, theme: Theme): string {
  const id = rowId(row) ?? ''
  const isGone = list.gone.has(id)
  const cells = fitted.map(({ column, width: columnWidth }, at) => {
    const text = `${isGone && at === 0 ? GONE : ''}${cellTextOf(column, row[column.name], { width: columnWidth, times })}`
    const [hit] = column.isFound && finding ? finding.matcher.partsOf(text) : []
    if (hit) return fitAround(text, columnWidth, hit)
    return column.isVital ? fitState(text, columnWidth) : fitCell(text, columnWidth, column.align)
  })
  const isCurrent = position === list.cursor
  // One paint covers these rows.
  const isPainted = isCurrent || isGone
  const found = finding ? withFound(cells, { fitted, finding, isCurrent }, theme) : cells
  const shown = isPainted ? found : withTones(found, row, fitted, theme)
  const used = MARGIN + fitted.reduce((total, each) => total + each.width + COLUMN_GAP, -COLUMN_GAP)
  const line = `${isCurrent ? '❯' : ' '}${flagOf(list, row, position)} ${shown.join(' '.repeat(COLUMN_GAP))}`
  const text = used <= width ? line + ' '.repeat(width - used) : fitCell(line, width)
  if (isCurrent) return theme.inverse(text)
  if (isGone) return theme.dim(text)
  return list.marks.has(id) ? theme.bold(text) : text
}

function withTones(
  cells: readonly string[],
  row: CrmRecord,
  fitted: readonly FittedColumn[],
  theme: Theme,
): readonly string[] {
  return cells.map((cell, at) => {
    const name = fitted[at]?.column.name ?? ''
    const tone = toneOf(name, row[name])
    return tone === undefined ? cell : theme[tone](cell)
  })
}

type Finding = { readonly matcher: Matcher; readonly searched: ReadonlySet<string> }
type FoundIn = { readonly fitted: readonly FittedColumn[]; readonly finding: Finding; readonly isCurrent: boolean }

function withFound(cells: readonly string[], { fitted, finding, isCurrent }: FoundIn, theme: Theme): readonly string[] {
  return cells.map((cell, at) => {
    if (!finding.searched.has(fitted[at]?.column.name ?? '')) return cell
    let text = ''
    let end = 0
    for (const [from, to] of finding.matcher.partsOf(cell)) {
      if (from < end) continue
      text += cell.slice(end, from) + theme.found(cell.slice(from, to), isCurrent)
      end = to
    }
    return text + cell.slice(end)
  })
}

/** The sign of a row: marked, in the range being marked, or no longer as filtered. */
function flagOf(list: ListState, row: CrmRecord, position: number): string {
  const id = rowId(row) ?? ''
  if (list.marks.has(id)) return '*'
  const { anchor, cursor } = list
  const isInRange = anchor !== undefined && position >= Math.min(anchor, cursor) && position <= Math.max(anchor, cursor)
  if (isInRange) return '+'
  return contradicts(row, list.serverFilters) ? '≠' : ' '
}

function noMatchText({ loading, isComplete }: ListState): readonly string[] {
  if (loading === 'all') return ['No row matches so far.', 'Esc stops the search.']
  if (isComplete) return ['No row matches.', 'Esc shows all again.']
  return ['No loaded row matches.', 'Enter in / searches the rest; Esc shows all again.']
}

/** Why there is no row, and how to create one: at most two lines. */
export function emptyText(state: State): readonly string[] {
  const { screen, lists, columns } = state
  const { lack, empty } = entryOf(screen)
  const why = lack?.(state)
  if (why !== undefined) return wrapText(safeText(why), columns - 6)
  const list = lists[listOfScreen(screen)]
  if (list.rows.length > 0) return noMatchText(list)
  const isOfSession = SESSION_SCREENS.includes(screen)
  if (!isOfSession && list.failure !== undefined) return ['Nothing could be loaded. r tries again, ! shows the error.']
  return isOfSession || (list.isComplete && !list.isStale) ? (empty?.(state) ?? []) : []
}

/** Marks the columns in which a filter found something: they are shown before all others. */
function withFoundColumns(
  list: ListState,
  columns: readonly ListColumn[],
  { matcher, searched }: Finding,
): readonly ListColumn[] {
  const rows = Array.from({ length: Math.min(SAMPLED, shownCount(list)) }, (_, at) => shownRow(list, at))
  const isFound = ({ name }: ListColumn) =>
    searched.has(name) && rows.some((row) => matcher.partsOf(shortCell(row?.[name], LONGEST)).length > 0)
  return columns.map((column) => (isFound(column) ? { ...column, isFound: true } : column))
}
