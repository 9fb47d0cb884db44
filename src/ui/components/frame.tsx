import { Box } from 'ink'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { type BoardColumn, clampBoard } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { eventDiff } from '../list/event-diff.ts'
import { currentRow, rowId } from '../list/list-state.ts'
import { shownColumns } from '../list/shown-columns.ts'
import { areasOf, isTooSmall, LEAST_COLUMNS, LEAST_ROWS } from '../look/areas.ts'
import { listOfScreen, searchedIn } from '../screens.ts'
import type { State } from '../state.ts'
import { Board } from './board.tsx'
import { Detail, type DetailParts } from './detail.tsx'
import { EventRateLine, hasRateLine } from './event-rate.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { Home } from './home.tsx'
import { Messages } from './messages.tsx'
import type { Drawing, OverlayLines } from './overlay.tsx'
import { Rows } from './rows.tsx'
import { StatusLine } from './status-line.tsx'
import { emptyText, RowTable } from './table.tsx'

interface FrameProps {
  readonly state: State
  readonly drawing: Drawing
  readonly sheet: OverlayLines | undefined
}

/** The whole screen: exactly its rows, none wider than its columns. An overlay covers the lower ones. */
export function Frame({ state, drawing, sheet }: FrameProps) {
  const { columns, rows } = state
  if (isTooSmall(state)) return <Rows lines={[tooSmallText(state)]} />
  const covered = Math.min(sheet?.lines.length ?? 0, rows)
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Box flexDirection="column" height={rows - covered} overflow="hidden">
        <Header state={state} theme={drawing.theme} />
        <Body state={state} drawing={drawing} />
        <Messages state={state} theme={drawing.theme} />
        <Footer state={state} drawing={drawing} />
      </Box>
      {sheet && <Rows lines={sheet.lines.slice(0, rows)} />}
    </Box>
  )
}

function tooSmallText({ columns, rows }: State): string {
  return fitCell(
    `crm browse needs ${LEAST_COLUMNS} columns and ${LEAST_ROWS} rows; this terminal has ${columns} and ${rows}`,
    columns,
  )
}

function Body({ state, drawing: { theme, boards } }: Omit<FrameProps, 'sheet'>) {
  if (state.screen === 'home') return <Home state={state} theme={theme} />
  const name = listOfScreen(state.screen)
  const list = state.lists[name]
  const { detail, listColumns, listRows } = areasOf(state, list.isDetailOpen)
  const board = state.screen === 'pipelines' ? boards(list, state.board.stages) : undefined
  const area = { width: listColumns, height: listRows }
  const body = board ? (
    <Board board={board} state={state} area={{ ...area, height: listRows + 1 }} theme={theme} />
  ) : (
    <RowTable
      list={list}
      area={{
        ...area,
        columns: shownColumns(state, name),
        times: state.times,
        searched: searchedIn(name),
        empty: emptyText(state),
      }}
      theme={theme}
    />
  )
  return (
    <>
      <StatusLine state={state} board={board} theme={theme} />
      {hasRateLine(state) && <EventRateLine state={state} theme={theme} />}
      <Box flexDirection={detail?.isBeside ? 'row' : 'column'} flexShrink={0}>
        {body}
        {detail && (
          <Rule isUpright={detail.isBeside} length={detail.isBeside ? listRows + 1 : state.columns} theme={theme} />
        )}
        {detail && (
          <Detail
            parts={partsOf(state, selectedRow(state, board))}
            area={{ width: detail.columns, height: detail.rows }}
            theme={theme}
          />
        )}
      </Box>
    </>
  )
}

function Rule({ isUpright, length, theme }: { isUpright: boolean; length: number; theme: Drawing['theme'] }) {
  const lines = isUpright ? Array.from({ length }, () => theme.dim(' │ ')) : [theme.dim('─'.repeat(length))]
  return <Rows lines={lines} />
}

function selectedRow(state: State, board: readonly BoardColumn[] | undefined): CrmRecord | undefined {
  if (!board) return currentRow(state.lists[listOfScreen(state.screen)])
  const { column, card } = clampBoard(state.board, board)
  return board[column]?.deals[card]
}

/** What the pane shows of a row, with what was loaded for it. */
function partsOf(state: State, row: CrmRecord | undefined): DetailParts {
  const list = state.lists[listOfScreen(state.screen)]
  const id = rowId(row)
  return {
    row: row ?? {},
    notes: state.notes?.recordId === id && state.notes?.list === listOfScreen(state.screen) ? state.notes : undefined,
    history: state.history?.recordId === id ? state.history : undefined,
    top: state.pane.rowId === id ? state.pane.top : 0,
    times: state.times,
    diff: state.screen === 'events' && row ? eventDiff(list.rows, row) : undefined,
  }
}
