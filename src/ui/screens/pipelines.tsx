import { type Boards, clampBoard } from '../board.ts'
import { Board, stagesShown } from '../components/board.tsx'
import { areasOf } from '../look/areas.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { State } from '../state.ts'
import { dealsScreen } from './deals.tsx'

/** The deals by stage. */
export const pipelinesScreen: ScreenEntry = {
  ...dealsScreen,
  title: 'Pipelines',
  status: hiddenStages,
  body: ({ state, areas: { listColumns, listRows }, theme, boards }) => (
    <Board
      board={boards(state.lists.deals, state.board.stages)}
      state={state}
      area={{ width: listColumns, height: listRows + 1 }}
      theme={theme}
    />
  ),
}

/** Names the stages that do not fit. */
function hiddenStages(state: State, boards: Boards): readonly string[] {
  const board = boards(state.lists.deals, state.board.stages)
  const { listColumns } = areasOf(state, state.lists.deals.isDetailOpen)
  const { first, fitting } = stagesShown(board.length, clampBoard(state.board, board).column, listColumns)
  return fitting < board.length ? [`stages ${first + 1}-${first + fitting} of ${board.length}, h l for the others`] : []
}
