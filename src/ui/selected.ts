import type { CrmRecord } from '../core/resources/registry.ts'
import { type Boards, clampBoard } from './board.ts'
import { currentRow } from './list/list-state.ts'
import { chosenRows } from './list/list-view.ts'
import { isServerList, listOfScreen, type ServerList } from './screens.ts'
import type { State } from './state.ts'

/** The record under the cursor, on the board or in a list. */
export function selectedRow(state: State, boards: Boards): CrmRecord | undefined {
  if (state.screen !== 'pipelines') return currentRow(state.lists[listOfScreen(state.screen)])
  const columns = boards(state.lists.deals, state.board.stages)
  const { column, card } = clampBoard(state.board, columns)
  return columns[column]?.deals[card]
}

/** The records of an action: the marked ones if any, else the one under the cursor. */
export function actedOn(state: State, boards: Boards): readonly CrmRecord[] {
  const list = state.lists[listOfScreen(state.screen)]
  if (state.screen !== 'pipelines' || list.marks.size > 0) return chosenRows(list)
  const row = selectedRow(state, boards)
  return row ? [row] : []
}

/** The list of the server that a screen changes. */
export function serverList({ screen }: State): ServerList {
  const list = listOfScreen(screen)
  if (isServerList(list)) return list
  throw new Error(`the screen ${screen} has no records of the server`)
}
