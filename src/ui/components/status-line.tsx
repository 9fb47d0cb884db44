import { safeText } from '../../output/safe-text.ts'
import type { Boards } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { hiddenMarkCount } from '../list/hidden-marks.ts'
import { type ListState, type LoadFailure, shownCount } from '../list/list-state.ts'
import type { Sort } from '../list/order.ts'
import { serverFilterText } from '../list/server-filters.ts'
import { areasOf } from '../look/areas.ts'
import type { Theme } from '../look/theme.ts'
import { entryOf } from '../screens/all-screens.tsx'
import { listOfScreen } from '../screens.ts'
import type { State } from '../state.ts'
import { underWayText } from '../text/change-text.ts'
import { Rows } from './rows.tsx'
import { visibleTop } from './table.tsx'

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
  const { droppedCount, rows, filter, isComplete, only } = list
  return `${filter === '' ? droppedCount + rows.length : shownCount(list)}${isComplete || only !== undefined ? '' : '+'}`
}

interface StatusLineProps {
  readonly state: State
  readonly boards: Boards
  readonly theme: Theme
}

/** What is shown of how many, and what is under way. */
export function StatusLine({ state, boards, theme }: StatusLineProps) {
  const list = state.lists[listOfScreen(state.screen)]
  const loaded = `the ${list.droppedCount + list.rows.length} loaded`
  const parts = [
    state.screen === 'pipelines' ? `${totalText(list)} deals` : rangeText(state, list),
    ...(list.only === undefined ? [] : [`${safeText(list.only)} (r shows all)`]),
    ...(list.failure === undefined ? [] : [failureText(list, list.failure)]),
    ...findingPart(list),
    ...(Object.keys(list.serverFilters).length > 0 ? [safeText(serverFilterText(list.serverFilters))] : []),
    ...(list.sort ? [`${list.isComplete ? '' : `${loaded} `}sorted by ${sortText(list.sort)}`] : []),
    ...marksPart(list),
    ...sendingPart(state),
    ...(entryOf(state.screen).status?.(state, boards) ?? []),
    ...agePart(state, list),
    ...(list.news > 0 ? [`${list.news} new (r shows)`] : []),
    ...(state.isSlow ? ['loading … (Esc stops)'] : []),
  ]
  return <Rows lines={[theme.dim(fitCell(` ${parts.join(' · ')}`, state.columns))]} />
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

/** Nothing for what is fresh. */
function agePart({ times }: State, { readAtMs, isRefreshRefused }: ListState): readonly string[] {
  if (readAtMs === undefined) return []
  if (isRefreshRefused) return [`not refreshed since ${new Date(readAtMs).toTimeString().slice(0, 5)}`]
  const minutes = Math.floor((times.nowMs - readAtMs) / MINUTE_MS)
  if (minutes < 1) return []
  return [`as of ${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} ago`]
}

const MINUTE_MS = 60_000
