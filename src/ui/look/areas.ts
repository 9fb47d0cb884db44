import { messageRows } from '../components/messages.tsx'
import { listOfScreen } from '../screens.ts'
import type { State } from '../state.ts'

export function hasRateLine({ screen, lists }: Pick<State, 'screen' | 'lists'>): boolean {
  return screen === 'events' && lists.events.rows.length > 0
}

export const LEAST_COLUMNS = 60
export const LEAST_ROWS = 12

/** Whether nothing but that is shown. */
export function isTooSmall({ columns, rows }: Pick<State, 'columns' | 'rows'>): boolean {
  return columns < LEAST_COLUMNS || rows < LEAST_ROWS
}

/** The lines of header, place, column headers and keys. */
const CHROME_ROWS = 4
/** From this width on the pane is beside the list, else below it. */
const WIDE = 110

export interface Areas {
  readonly listRows: number
  readonly listColumns: number
  readonly detail: { readonly isBeside: boolean; readonly columns: number; readonly rows: number } | undefined
}

/** Computed, because a measurement by Ink is available only one frame later. */
export function areasOf(state: State, isDetailOpen: boolean): Areas {
  const bodyRows = Math.max(1, state.rows - CHROME_ROWS - Number(hasRateLine(state)) - messageRows(state))
  if (!isDetailOpen) return { listRows: bodyRows, listColumns: state.columns, detail: undefined }
  if (state.columns >= WIDE) {
    const columns = Math.floor(state.columns * 0.4)
    const detail = { isBeside: true, columns, rows: bodyRows - 1 }
    return { listRows: bodyRows, listColumns: state.columns - columns - 3, detail }
  }
  const rows = Math.max(5, Math.floor(bodyRows / 2))
  const detail = { isBeside: false, columns: state.columns - 2, rows: rows - 2 }
  return { listRows: bodyRows - rows, listColumns: state.columns, detail }
}

export function listHeight(state: State): number {
  const list = state.lists[listOfScreen(state.screen)]
  return areasOf(state, list.isDetailOpen).listRows
}
