import { Box } from 'ink'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { selectedRow } from '../board.ts'
import { fitCell } from '../list/columns.ts'
import { rowId } from '../list/list-state.ts'
import { type Areas, areasOf, hasRateLine, isTooSmall, LEAST_COLUMNS, LEAST_ROWS } from '../look/areas.ts'
import type { Theme } from '../look/theme.ts'
import type { BodyProps } from '../screen-entry.ts'
import { entryOf, searchedIn, shownColumns } from '../screens/all-screens.tsx'
import { eventRateLine } from '../screens/events.tsx'
import { listOfScreen } from '../screens.ts'
import type { State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { eventDiff } from '../text/diff.ts'
import { footerLine, headerLine, statusLine } from './bars.tsx'
import { type DetailParts, detailLines } from './detail.tsx'
import { messageLines } from './messages.tsx'
import type { Drawing } from './overlay.tsx'
import { coveredRows, type OverlayLines, PANEL_COLUMNS, PANEL_ROWS, Panel, Rows } from './panel.tsx'
import { emptyText, listLines } from './table.tsx'

type Painted = { readonly state: State; readonly theme: Theme }
type FrameProps = { readonly state: State; readonly drawing: Drawing; readonly sheet: OverlayLines | undefined }

/** The whole screen: exactly its rows, none wider than its columns. An overlay covers the lower ones. */
export function Frame({ state, drawing, sheet }: FrameProps) {
  const { columns, rows } = state
  if (isTooSmall(state)) return <Rows lines={[tooSmallText(state)]} />
  const covered = sheet ? Math.min(coveredRows(sheet), rows) : 0
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Box flexDirection="column" height={rows - covered} overflow="hidden">
        <Rows lines={[headerLine(state, drawing.theme)]} />
        <Body state={state} drawing={drawing} />
        <Rows lines={[...messageLines(state, drawing.theme), footerLine(state, drawing)]} />
      </Box>
      {sheet && <Sheet sheet={sheet} state={state} theme={drawing.theme} />}
    </Box>
  )
}

function Sheet({ sheet: { title, lines }, state, theme }: Painted & { readonly sheet: OverlayLines }) {
  const { columns, rows } = state
  if (title === undefined) return <Rows lines={lines.slice(0, rows)} />
  return (
    <Panel title={title} width={columns} isFocused={true} theme={theme}>
      <Rows lines={lines.slice(0, rows - PANEL_ROWS)} />
    </Panel>
  )
}

function tooSmallText({ columns, rows }: State): string {
  return fitCell(
    `crm browse needs ${LEAST_COLUMNS} columns and ${LEAST_ROWS} rows; this terminal has ${columns} and ${rows}`,
    columns,
  )
}

function Body({ state, drawing: { theme, boards } }: Omit<FrameProps, 'sheet'>) {
  const { body = rowTable } = entryOf(state.screen)
  if (state.screen === 'home') return body({ state, areas: areasOf(state, false), theme, boards })
  const areas = areasOf(state, state.lists[listOfScreen(state.screen)].isDetailOpen)
  const { detail } = areas
  return (
    <>
      <Rows lines={[statusLine(state, boards, theme), ...(hasRateLine(state) ? [eventRateLine(state, theme)] : [])]} />
      <Box flexDirection={detail?.isBeside ? 'row' : 'column'} flexShrink={0}>
        {body({ state, areas, theme, boards })}
        {detail && <Pane state={state} row={selectedRow(state, boards)} detail={detail} theme={theme} />}
      </Box>
    </>
  )
}

function rowTable({ state, areas: { listColumns, listRows }, theme }: BodyProps) {
  const name = listOfScreen(state.screen)
  const area = {
    ...{ width: listColumns, height: listRows, columns: shownColumns(state, name), times: state.times },
    ...{ searched: searchedIn(name), empty: emptyText(state) },
  }
  return <Rows lines={listLines(state.lists[name], area, theme)} />
}

type PaneProps = { readonly row: CrmRecord | undefined; readonly detail: NonNullable<Areas['detail']> }

function Pane({ state, row, detail: { columns, rows, isBeside }, theme }: PaneProps & Painted) {
  return (
    <Box marginLeft={isBeside ? 1 : 0} flexShrink={0}>
      <Panel title={row ? recordName(row) : ''} width={columns + PANEL_COLUMNS} isFocused={false} theme={theme}>
        <Rows lines={detailLines(partsOf(state, row), { width: columns, height: rows }, theme)} />
      </Panel>
    </Box>
  )
}

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
