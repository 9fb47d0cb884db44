import { type Boards, clampBoard } from '../board.ts'
import { cardAt } from '../components/board.tsx'
import { hasRateLine } from '../components/event-rate.tsx'
import { tabAt } from '../components/header.tsx'
import { visibleTop } from '../components/table.tsx'
import { shownCount } from '../list/list-state.ts'
import { listOfScreen, type ScreenName } from '../screens.ts'
import type { State } from '../state.ts'
import { type Areas, areasOf } from './areas.ts'

/** What is drawn at a place of the screen. */
export type Hit =
  | { readonly on: 'tab'; readonly screen: ScreenName }
  | { readonly on: 'row'; readonly position: number }
  | { readonly on: 'card'; readonly column: number; readonly card: number }
  | { readonly on: 'option'; readonly index: number }
  | { readonly on: 'pane' }

export interface ScreenPoint {
  readonly x: number
  readonly y: number
}

/** Header, place and column headers are above the rows. */
const ROWS_FROM = 3

export function hitAt(state: State, boards: Boards, place: ScreenPoint): Hit | undefined {
  if (state.overlay) return optionAt(state, place)
  if (place.y > 0) return bodyAt(state, boards, place)
  const screen = tabAt(state, place.x)
  return screen && { on: 'tab', screen }
}

function optionAt({ overlay, rows }: State, { y }: ScreenPoint): Hit | undefined {
  const options = overlay?.type === 'choice' ? overlay.options : []
  // The last row is the border of its panel.
  const index = y - (rows - 1 - options.length)
  return index >= 0 && index < options.length ? { on: 'option', index } : undefined
}

function bodyAt(state: State, boards: Boards, { x, y }: ScreenPoint): Hit | undefined {
  if (state.screen === 'home') return undefined
  const list = state.lists[listOfScreen(state.screen)]
  const areas = areasOf(state, list.isDetailOpen)
  const { listColumns, listRows } = areas
  const line = y - ROWS_FROM - Number(hasRateLine(state))
  if (isInPane(areas, { x, y: line })) return { on: 'pane' }
  if (line >= listRows || x >= listColumns) return undefined
  if (state.screen !== 'pipelines') {
    const position = visibleTop(list, listRows) + line
    return line >= 0 && position < shownCount(list) ? { on: 'row', position } : undefined
  }
  const columns = boards(list, state.board.stages)
  const area = { width: listColumns, height: listRows + 1 }
  const card = cardAt(columns, clampBoard(state.board, columns), area, { x, y: line + 1 })
  return card && { on: 'card', ...card }
}

/** `y` counts from the first row of the list. */
function isInPane({ detail, listColumns, listRows }: Areas, { x, y }: ScreenPoint): boolean {
  if (!detail) return false
  if (detail.isBeside) return x > listColumns && y < listRows
  return y > listRows && y <= listRows + detail.rows
}
