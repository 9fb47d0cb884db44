import type { CrmRecord } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import { textWidth } from '../../output/terminal-text.ts'
import { keyLabel } from '../actions/keymap.ts'
import { isFollowed } from '../background/events.ts'
import { type BoardColumn, clampBoard } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { eventDiff } from '../list/event-diff.ts'
import { hiddenMarkCount } from '../list/hidden-marks.ts'
import { currentRow, type ListState, type LoadFailure, rowId, shownCount } from '../list/list-state.ts'
import type { Sort } from '../list/order.ts'
import { serverFilterText } from '../list/server-filters.ts'
import { shownColumns } from '../list/shown-columns.ts'
import { listOfScreen, SCREENS, SEARCHED } from '../screens.ts'
import type { State } from '../state.ts'
import { underWayText } from '../text/change-text.ts'
import type { Action, Keymap } from '../ui.ts'
import { areasOf, isTooSmall, LEAST_COLUMNS, LEAST_ROWS } from './areas.ts'
import { boardLines, stagesShown } from './board-lines.ts'
import { type Detail, detailLines } from './detail-lines.ts'
import { eventRateLine, hasRateLine } from './event-rate-line.ts'
import { headerLine } from './header-line.ts'
import { homeLines } from './home-lines.ts'
import { emptyText, listLines, visibleTop } from './list-lines.ts'
import { messageLines } from './message-lines.ts'
import { type Cursor, type Drawing, sheetOf } from './sheet.ts'
import type { Theme } from './theme.ts'

/** The whole screen: one line per row, none wider than the screen. */
export interface Frame {
  readonly lines: readonly string[]
  readonly cursor: Cursor | undefined
}

export function drawFrame(state: State, drawing: Drawing): Frame {
  const { columns, rows } = state
  if (isTooSmall(state)) {
    const text = `crm browse needs ${LEAST_COLUMNS} columns and ${LEAST_ROWS} rows; this terminal has ${columns} and ${rows}`
    return { lines: [fitCell(text, columns)], cursor: undefined }
  }
  const { theme } = drawing
  const lines = [
    headerLine(state, theme),
    ...bodyLines(state, drawing),
    ...messageLines(state, theme),
    footerLine(state, drawing),
  ]
  const sheet = sheetOf(state, drawing)
  if (!sheet) return { lines, cursor: undefined }
  const from = Math.max(0, rows - sheet.lines.length)
  return {
    lines: [...lines.slice(0, from), ...sheet.lines.slice(0, rows)],
    cursor: sheet.cursor && { x: Math.min(sheet.cursor.x, columns - 1), y: from + sheet.cursor.y },
  }
}

function bodyLines(state: State, drawing: Drawing): readonly string[] {
  const { theme, boards } = drawing
  if (state.screen === 'home') return homeLines(state, theme)
  const list = state.lists[listOfScreen(state.screen)]
  const areas = areasOf(state, list.isDetailOpen)
  const area = { width: areas.listColumns, height: areas.listRows }
  const board = state.screen === 'pipelines' ? boards(list, state.board.stages) : undefined
  const body = board
    ? boardLines(board, state, { ...area, height: area.height + 1 }, theme)
    : listLines(
        list,
        {
          ...area,
          columns: shownColumns(state, listOfScreen(state.screen)),
          times: state.times,
          searched: SEARCHED[listOfScreen(state.screen)],
          empty: emptyText(state),
        },
        theme,
      )
  const status = [statusLine(state, board, theme), ...(hasRateLine(state) ? [eventRateLine(state, theme)] : [])]
  if (!areas.detail) return [...status, ...body]
  const selected = board && clampBoard(state.board, board)
  const row = board && selected ? board[selected.column]?.deals[selected.card] : currentRow(list)
  const { columns: width, rows: height, isBeside } = areas.detail
  const detail = detailLines(detailOf(state, row), { width, height }, theme)
  if (!isBeside) return [...status, ...body, theme.dim('─'.repeat(state.columns)), ...detail]
  return [...status, ...body.map((line, index) => `${line}${theme.dim(' │ ')}${detail[index] ?? ''}`)]
}

/** What the pane shows of a row, with what was loaded for it. */
function detailOf(state: State, row: CrmRecord | undefined): Detail {
  const list = state.lists[listOfScreen(state.screen)]
  const id = rowId(row)
  return {
    row: row ?? {},
    notes: state.notes?.dealId === id ? state.notes : undefined,
    history: state.history?.recordId === id ? state.history : undefined,
    top: state.pane.rowId === id ? state.pane.top : 0,
    times: state.times,
    diff: state.screen === 'events' && row ? eventDiff(list.rows, row) : undefined,
  }
}

/** The visible rows, and the number as far as known: `1-37 of 400+`. */
function rangeText(state: State, list: ListState): string {
  const { rows, droppedCount, isComplete, isDetailOpen } = list
  const count = shownCount(list)
  if (rows.length === 0 && !isComplete) return 'nothing loaded yet'
  const height = areasOf(state, isDetailOpen).listRows
  const top = visibleTop(list, height)
  const first = droppedCount + (count === 0 ? 0 : top + 1)
  return `${first}-${droppedCount + Math.min(top + height, count)} of ${totalText(list)}`
}

function totalText(list: ListState): string {
  const { droppedCount, rows, filter, isComplete } = list
  return `${filter === '' ? droppedCount + rows.length : shownCount(list)}${isComplete ? '' : '+'}`
}

function statusLine(state: State, board: readonly BoardColumn[] | undefined, theme: Theme): string {
  const list = state.lists[listOfScreen(state.screen)]
  const loaded = `the ${list.droppedCount + list.rows.length} loaded`
  const parts = [
    ...(board ? [`${totalText(list)} deals`, ...hiddenStages(state, board)] : [rangeText(state, list)]),
    ...(list.failure === undefined ? [] : [failureText(list, list.failure)]),
    ...findingPart(list),
    ...(Object.keys(list.serverFilters).length > 0 ? [safeText(serverFilterText(list.serverFilters))] : []),
    ...(list.sort ? [`${list.isComplete ? '' : `${loaded} `}sorted by ${sortText(list.sort)}`] : []),
    ...marksPart(list),
    ...sendingPart(state),
    ...listeningPart(state),
    ...otherJobsPart(state),
    ...deliveriesPart(state),
    ...(list.news > 0 ? [`${list.news} new (r shows)`] : []),
    ...(state.isSlow ? ['loading … (Esc stops)'] : []),
  ]
  return theme.dim(fitCell(` ${parts.join(' · ')}`, state.columns))
}

function marksPart(list: ListState): readonly string[] {
  const { size } = list.marks
  const hidden = hiddenMarkCount(list)
  if (size === 0) return []
  return [hidden === 0 ? `${size} marked` : `${size} marked, ${hidden === size ? '' : `${hidden} `}not shown`]
}

function findingPart({ filter, loading, droppedCount, rows }: ListState): readonly string[] {
  if (filter === '') return []
  const rest = loading === 'all' ? ', searching the rest' : ''
  return [`found for "${safeText(filter)}" among the ${droppedCount + rows.length} loaded${rest}`]
}

/** Empty where a bar shows it. */
function sendingPart(state: State): readonly string[] {
  return state.underWay[0]?.progress ? [] : underWayText(state)
}

function failureText({ rows }: ListState, { isOfAnswer }: LoadFailure): string {
  if (!isOfAnswer) return 'not complete (r tries again)'
  return rows.length > 0 ? 'end of list unknown: crm doctor' : 'not a list that crm can read: crm doctor'
}

function sortText({ by, isDescending }: Sort): string {
  return `${by}${isDescending ? ' ↓' : ' ↑'}`
}

function listeningPart(state: State): readonly string[] {
  const { screen, listening } = state
  if (screen !== 'events' || !listening) return []
  return [`listening at ${safeText(listening.url)}`, ...(isFollowed(state) ? ['new ones come on top'] : [])]
}

function otherJobsPart({ screen, jobs }: State): readonly string[] {
  if (screen !== 'jobs' || jobs.others === 0) return []
  return [jobs.isOfAll ? `${jobs.others} of other servers (a hides)` : `${jobs.others} of other servers (a shows)`]
}

function deliveriesPart({ screen, lists, webhooks: { deliveriesLack } }: State): readonly string[] {
  if (screen !== 'webhooks') return []
  if (deliveriesLack !== undefined) return [`no deliveries: ${safeText(deliveriesLack)}`]
  const row = currentRow(lists.webhooks)
  return typeof row?.older === 'string' ? [safeText(row.older)] : []
}

/** Names the stages that do not fit. */
function hiddenStages(state: State, board: readonly BoardColumn[]): readonly string[] {
  const { listColumns } = areasOf(state, state.lists.deals.isDetailOpen)
  const { first, fitting } = stagesShown(board.length, clampBoard(state.board, board).column, listColumns)
  return fitting < board.length ? [`stages ${first + 1}-${first + fitting} of ${board.length}, h l for the others`] : []
}

/** As many keys as fit: those of all screens first, then those of this screen that can run now. */
function footerLine(state: State, { theme, keymap }: Drawing): string {
  const { screen, columns, pendingKeys, count } = state
  if (pendingKeys !== '' || count) return fitCell(` ${pendingText(state, keymap)}`, columns)
  const here = keymap.actions.filter(
    ({ footer, screens, refusal }) =>
      footer !== undefined && (screens?.includes(screen) ?? true) && refusal?.(state) === undefined,
  )
  let line = ' '
  for (const { id, footer } of here.toSorted((one, other) => footerRank(one) - footerRank(other))) {
    const [keys] = keymap.keysOf(id)
    if (keys === undefined) continue
    const part = `${keyLabel(keys)} ${footer}  `
    if (textWidth(line + part) - 2 > columns) break
    line += part
  }
  return theme.dim(fitCell(line.trimEnd(), columns))
}

/** What was typed, and what can follow a number. */
function pendingText({ screen, pendingKeys, count }: State, keymap: Keymap): string {
  if (!count || pendingKeys !== '') return `${count?.digits ?? ''}${keyLabel(pendingKeys)} …`
  const alone = keymap.lookUp(screen, count.digits)
  const enter = alone && alone !== 'begins' ? `Enter: ${alone.title} · ` : ''
  return `${count.digits} … ${enter}a key that moves or marks: ${count.digits} times · Esc drops`
}

function footerRank({ isAlwaysFirst, screens }: Action): number {
  return isAlwaysFirst ? 0 : (screens?.length ?? SCREENS.length)
}
