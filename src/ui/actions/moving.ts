import { clampBoard } from '../board.ts'
import { listHeight } from '../draw/areas.ts'
import { cardsShown } from '../draw/board-lines.ts'
import { COLUMN_GAP, fitListColumns } from '../list/columns.ts'
import { sizedByContent } from '../list/content-widths.ts'
import { type ListState, shownCount } from '../list/list-state.ts'
import { moveBy, moveTo, selectColumn } from '../list/list-view.ts'
import { shownColumns } from '../list/shown-columns.ts'
import { isServerList, LISTS, listOfScreen, type ScreenName } from '../screens.ts'
import { type State, withCurrentList } from '../state.ts'
import type { Action, Ui } from '../ui.ts'

const LIST_SCREENS: readonly ScreenName[] = LISTS

/** The number of rows below the window that are loaded ahead. */
const PREFETCH_SCREENS = 2

function onList(change: (list: ListState, height: number, state: State) => ListState): Action['run'] {
  return (ui) => {
    ui.store.update((state) => withCurrentList(state, (list) => change(list, listHeight(state), state)))
    loadAhead(ui)
  }
}

/** Requests the next page when the cursor is near the end of the loaded rows. */
function loadAhead({ store, background }: Ui): void {
  const state = store.get()
  const name = listOfScreen(state.screen)
  if (!isServerList(name)) return
  const list = state.lists[name]
  if (list.failure !== undefined || list.isComplete) return
  if (shownCount(list) - list.cursor < PREFETCH_SCREENS * listHeight(state)) void background.lists.more(name)
}

function onBoard(columns: number, cards: number): Action['run'] {
  return ({ store, boards }) =>
    store.update((state) => {
      const board = clampBoard(state.board, boards(state.lists.deals, state.board.stages))
      const moved = { ...board, column: board.column + columns, card: columns === 0 ? board.card + cards : 0 }
      return { ...state, board: clampBoard(moved, boards(state.lists.deals, state.board.stages)) }
    })
}

function columnBy(step: number): Action['run'] {
  return onList((list, _, state) => {
    const shown = shownColumns(state, listOfScreen(state.screen))
    const fitted = fitListColumns(sizedByContent(list, shown, state.times), state.columns - COLUMN_GAP)
    return selectColumn(
      list,
      fitted.map(({ column }) => column.name),
      step,
    )
  })
}

/** With the part of the visible cards that is passed over. */
const BOARD_PAGES: readonly (readonly [id: string, title: string, keys: readonly string[], share: number])[] = [
  ['cards-down', 'A screen of deals down', ['pagedown', 'ctrl-f'], 1],
  ['cards-up', 'A screen of deals up', ['pageup', 'ctrl-b'], -1],
  ['cards-half-down', 'Half a screen of deals down', ['ctrl-d'], 0.5],
  ['cards-half-up', 'Half a screen of deals up', ['ctrl-u'], -0.5],
]

export const MOVING: readonly Action[] = [
  {
    id: 'down',
    title: 'Down',
    screens: LIST_SCREENS,
    keys: ['j', 'down'],
    run: onList((list, height) => moveBy(list, 1, height)),
  },
  {
    id: 'up',
    title: 'Up',
    screens: LIST_SCREENS,
    keys: ['k', 'up'],
    run: onList((list, height) => moveBy(list, -1, height)),
  },
  {
    id: 'half-down',
    title: 'Half a screen down',
    screens: LIST_SCREENS,
    keys: ['ctrl-d'],
    run: onList((list, height) => moveBy(list, Math.ceil(height / 2), height)),
  },
  {
    id: 'half-up',
    title: 'Half a screen up',
    screens: LIST_SCREENS,
    keys: ['ctrl-u'],
    run: onList((list, height) => moveBy(list, -Math.ceil(height / 2), height)),
  },
  {
    id: 'page-down',
    title: 'A screen down',
    screens: LIST_SCREENS,
    keys: ['pagedown', 'ctrl-f'],
    run: onList((list, height) => moveBy(list, height, height)),
  },
  {
    id: 'page-up',
    title: 'A screen up',
    screens: LIST_SCREENS,
    keys: ['pageup', 'ctrl-b'],
    run: onList((list, height) => moveBy(list, -height, height)),
  },
  { id: 'first', title: 'First row', screens: LIST_SCREENS, keys: ['g g', 'home'], run: goFirst },
  {
    id: 'last',
    title: 'Last of the loaded rows',
    screens: LIST_SCREENS,
    keys: ['G', 'end'],
    run: onList((list, height) => moveTo(list, shownCount(list) - 1, height)),
  },
  { id: 'column-left', title: 'Column to the left', screens: LIST_SCREENS, keys: ['h', 'left'], run: columnBy(-1) },
  { id: 'column-right', title: 'Column to the right', screens: LIST_SCREENS, keys: ['l', 'right'], run: columnBy(1) },
  { id: 'stage-left', title: 'Stage to the left', screens: ['pipelines'], keys: ['h', 'left'], run: onBoard(-1, 0) },
  { id: 'stage-right', title: 'Stage to the right', screens: ['pipelines'], keys: ['l', 'right'], run: onBoard(1, 0) },
  { id: 'card-down', title: 'Next deal of the stage', screens: ['pipelines'], keys: ['j', 'down'], run: onBoard(0, 1) },
  { id: 'card-up', title: 'Deal before it', screens: ['pipelines'], keys: ['k', 'up'], run: onBoard(0, -1) },
  ...BOARD_PAGES.map(
    ([id, title, keys, share]): Action => ({
      ...{ id, title, keys, screens: ['pipelines'] },
      run: (ui) => onBoard(0, Math.trunc(share * cardsShown(listHeight(ui.store.get()) + 1)))(ui),
    }),
  ),
  {
    id: 'card-first',
    title: 'First deal of the stage',
    screens: ['pipelines'],
    keys: ['g g', 'home'],
    run: onBoard(0, -Infinity),
  },
  {
    id: 'card-last',
    title: 'Last loaded deal of the stage',
    screens: ['pipelines'],
    keys: ['G', 'end'],
    run: onBoard(0, Infinity),
  },
]

/** Reloads the list when its first rows are no longer held. */
function goFirst(ui: Ui): void {
  const state = ui.store.get()
  const name = listOfScreen(state.screen)
  ui.store.update((before) => withCurrentList(before, (list) => moveTo(list, 0, listHeight(before))))
  if (state.lists[name].droppedCount > 0 && isServerList(name)) void ui.background.lists.reload(name)
}
