import { addDecimals, type Decimal, decimalOf, ZERO } from '../core/decimal.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { cellText } from '../output/safe-text.ts'
import { chosenRows, currentRow, type ListState, rowId, shownCount, shownRow } from './list/list-state.ts'
import { isServerList, listOfScreen, type ServerList } from './screens.ts'
import type { BoardState, State } from './state.ts'

export type BoardColumn = { readonly stage: string; readonly deals: readonly CrmRecord[]; readonly sum: Decimal }
export type Boards = (list: ListState, stages: BoardState['stages']) => readonly BoardColumn[]

/** The loaded deals that pass the filter, one column per stage; grouped again only after a change. */
export function createBoards(): Boards {
  let last: { rows: unknown; order: unknown; stages: unknown; board: readonly BoardColumn[] } | undefined
  return (list, stages) => {
    if (last?.rows !== list.rows || last.order !== list.order || last.stages !== stages) {
      last = { rows: list.rows, order: list.order, stages, board: groupByStage(list, stages) }
    }
    return last.board
  }
}

/** In the order of the pipeline, followed by stages of other pipelines. */
function groupByStage(list: ListState, stages: BoardState['stages']): readonly BoardColumn[] {
  const groups = new Map<string, { deals: CrmRecord[]; sum: Decimal }>()
  for (const stage of stages ?? []) groups.set(cellText(stage.name), { deals: [], sum: ZERO })
  const count = shownCount(list)
  for (let position = 0; position < count; position++) {
    const deal = shownRow(list, position)
    if (!deal) continue
    const name = cellText(deal.stage) || '(none)'
    const group = groups.get(name) ?? { deals: [], sum: ZERO }
    groups.set(name, group)
    group.deals.push(deal)
    group.sum = addDecimals(group.sum, decimalOf(deal.amount) ?? ZERO)
  }
  return Array.from(groups, ([stage, group]) => ({ stage, ...group }))
}

export function clampBoard(board: BoardState, columns: readonly BoardColumn[]): BoardState {
  const column = Math.max(0, Math.min(board.column, columns.length - 1))
  const card = Math.max(0, Math.min(board.card, (columns[column]?.deals.length ?? 0) - 1))
  return { ...board, column, card }
}

/** With another card selected; `edit` gets the column and the card that are. */
export function moveOnBoard(state: State, boards: Boards, edit: (board: BoardState) => Partial<BoardState>): State {
  const columns = boards(state.lists.deals, state.board.stages)
  const board = clampBoard(state.board, columns)
  return { ...state, board: clampBoard({ ...board, ...edit(board) }, columns) }
}

export function selectedRow(state: State, boards: Boards): CrmRecord | undefined {
  if (state.screen !== 'pipelines') return currentRow(state.lists[listOfScreen(state.screen)])
  const columns = boards(state.lists.deals, state.board.stages)
  const { column, card } = clampBoard(state.board, columns)
  return columns[column]?.deals[card]
}

export function actedOn(state: State, boards: Boards): readonly CrmRecord[] {
  const list = state.lists[listOfScreen(state.screen)]
  if (state.screen !== 'pipelines' || list.marks.size > 0) return chosenRows(list)
  const row = selectedRow(state, boards)
  return row ? [row] : []
}

export function serverList({ screen }: State): ServerList {
  const list = listOfScreen(screen)
  if (isServerList(list)) return list
  throw new Error(`the screen ${screen} has no records of the server`)
}

/** With the card of this deal selected, in whatever stage it is. */
export function withDealSelected(state: State, boards: Boards, id: string | undefined): State {
  const columns = boards(state.lists.deals, state.board.stages)
  const column = columns.findIndex(({ deals }) => deals.some((deal) => rowId(deal) === id))
  const card = columns[column]?.deals.findIndex((deal) => rowId(deal) === id) ?? 0
  return column < 0 ? state : { ...state, board: { ...state.board, column, card } }
}
