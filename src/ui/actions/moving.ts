import { moveOnBoard } from '../board.ts'
import { type ListState, moveBy, moveTo, selectColumn, shownCount } from '../list/list-state.ts'
import { listHeight } from '../look/areas.ts'
import { shownColumns } from '../screens/all-screens.tsx'
import { lastHomeTop } from '../screens/home.tsx'
import { cardsShown } from '../screens/pipelines.tsx'
import {
  HOME_LISTS,
  isServerList,
  listOfScreen,
  type ScreenName,
  type ScreenOrObjects,
  TABLE_SCREENS,
} from '../screens.ts'
import { currentList, type State, withCurrentList } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'
import { askLoadAll } from './filters.ts'
import { loadStages } from './open-screen.ts'

const PREFETCH_SCREENS = 2

type Where = { readonly state: State; readonly height: number }

function onList(change: (list: ListState, where: Where) => ListState): Action['run'] {
  return (ui) => {
    ui.store.update((state) => withCurrentList(state, (list) => change(list, { state, height: listHeight(state) })))
    loadAhead(ui)
  }
}

function byLines(lines: (height: number) => number): Action['run'] {
  return onList((list, { height }) => moveBy(list, lines(height), height))
}

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
    store.update((state) =>
      moveOnBoard(state, boards, ({ column, card }) => ({
        column: column + columns,
        card: columns === 0 ? card + cards : 0,
      })),
    )
}

function columnBy(step: number): Action['run'] {
  return onList((list, { state }) => {
    const names = shownColumns(state, listOfScreen(state.screen)).map(({ name }) => name)
    return selectColumn(list, names, step)
  })
}

type Row = readonly [id: string, title: string, keys: readonly string[], run: Action['run']]

type Scroll = readonly [id: string, title: string, keys: readonly string[], lines: (height: number) => number]

/** Of lists and, with other ids, of Home. */
const SCROLLS: readonly Scroll[] = [
  ['down', 'Down', ['j', 'down'], () => 1],
  ['up', 'Up', ['k', 'up'], () => -1],
  ['half-down', 'Half a screen down', ['ctrl-d'], (height) => Math.ceil(height / 2)],
  ['half-up', 'Half a screen up', ['ctrl-u'], (height) => -Math.ceil(height / 2)],
  ['page-down', 'A screen down', ['pagedown', 'ctrl-f'], (height) => height],
  ['page-up', 'A screen up', ['pageup', 'ctrl-b'], (height) => -height],
]

const HOME_SCROLLS: readonly Scroll[] = [
  ...SCROLLS,
  ['top', 'First line', ['g g', 'home'], () => -Infinity],
  ['end', 'Last line', ['G', 'end'], () => Infinity],
]

const ON_LISTS: readonly Row[] = [
  ...SCROLLS.map(([id, title, keys, lines]): Row => [id, title, keys, byLines(lines)]),
  ['first', 'First row; :10 is row 10', ['g g', 'home'], goFirst],
  ['last', 'Last of the loaded rows', ['G', 'end'], byLines(() => Infinity)],
  ['column-left', 'Column to the left', ['h', 'left'], columnBy(-1)],
  ['column-right', 'Column to the right', ['l', 'right'], columnBy(1)],
]

const ON_BOARD: readonly Row[] = [
  ['stage-left', 'Stage to the left', ['h', 'left'], onBoard(-1, 0)],
  ['stage-right', 'Stage to the right', ['l', 'right'], onBoard(1, 0)],
  ['card-down', 'Next deal of the stage', ['j', 'down'], onBoard(0, 1)],
  ['card-up', 'Deal before it', ['k', 'up'], onBoard(0, -1)],
  ['cards-down', 'A screen of deals down', ['pagedown', 'ctrl-f'], byCards(1)],
  ['cards-up', 'A screen of deals up', ['pageup', 'ctrl-b'], byCards(-1)],
  ['cards-half-down', 'Half a screen of deals down', ['ctrl-d'], byCards(0.5)],
  ['cards-half-up', 'Half a screen of deals up', ['ctrl-u'], byCards(-0.5)],
  ['card-first', 'First deal of the stage', ['g g', 'home'], onBoard(0, -Infinity)],
  ['card-last', 'Last loaded deal of the stage', ['G', 'end'], onBoard(0, Infinity)],
]

/** By a part of the visible cards. */
function byCards(share: number): Action['run'] {
  return (ui) => onBoard(0, Math.trunc(share * cardsShown(listHeight(ui.store.get()) + 1)))(ui)
}

function movesOn(screens: readonly ScreenOrObjects[], rows: readonly Row[]): readonly Action[] {
  return rows.map(([id, title, keys, run]) => ({ id, title, keys, screens, run }))
}

export const MOVING: readonly Action[] = [
  ...movesOn([...TABLE_SCREENS, 'log', 'commands'], ON_LISTS),
  ...movesOn(['pipelines'], ON_BOARD),
]

export function goToRow(ui: Ui, number: number): void {
  const list = currentList(ui.store.get())
  const { droppedCount, isComplete } = list
  const loaded = droppedCount + shownCount(list)
  onList((before, { height }) => moveTo(before, number - 1 - droppedCount, height))(ui)
  if (number <= droppedCount) ui.background.notices.wait(`Row ${number} is no longer held; gg loads from the first row`)
  else if (number > loaded)
    ui.background.notices.wait(`There is no row ${number}: ${loaded} are loaded${isComplete ? '' : '; L loads all'}`)
}

/** Reloads the list when its first rows are no longer held. */
function goFirst(ui: Ui): void {
  const state = ui.store.get()
  const name = listOfScreen(state.screen)
  ui.store.update((before) => withCurrentList(before, (list) => moveTo(list, 0, listHeight(before))))
  if (state.lists[name].droppedCount > 0 && isServerList(name)) void ui.background.lists.reload(name)
}

const HOME: readonly ScreenName[] = ['home']

export const HOME_ACTIONS: readonly Action[] = [
  ...onScreens(HOME, [
    action('home-load-all', 'L', 'Load all contacts and deals, so that the figures are of all', {
      footer: 'load all',
      refusal: (state) => (loadable(state).length === 0 ? 'all are loaded' : undefined),
      run: (ui) => askLoadAll(ui, loadable(ui.store.get())),
    }),
    action('home-reload', 'r', 'Reload', { footer: 'reload', run: (ui) => void reload(ui) }),
    action('home-first', 'B', 'Begin with Home, or with the screen that was shown last', {
      footer: 'begin here',
      run: (ui) => void toggleFirst(ui),
    }),
  ]),
  ...HOME_SCROLLS.map(
    ([id, title, keys, lines]): Action => ({
      ...{ id: `home-${id}`, title, keys, screens: HOME },
      run: ({ store }) =>
        store.update((state) => {
          const top = Math.min(state.home.top + lines(listHeight(state) + 1), lastHomeTop(state))
          return { ...state, home: { ...state.home, top: Math.max(0, top) } }
        }),
    }),
  ),
]

function loadable({ lists, offered }: State) {
  return HOME_LISTS.filter((name) => !lists[name].isComplete && offered.lacks[`list ${name}`] === undefined)
}

async function reload(ui: Ui): Promise<void> {
  const { store, background } = ui
  const { lacks } = store.get().offered
  const lists = HOME_LISTS.filter((name) => lacks[`list ${name}`] === undefined).map(background.lists.reload)
  await Promise.all([...lists, background.jobs.look(), background.webhooks.look()])
  await loadStages(ui)
}

async function toggleFirst({ store, world, background }: Ui): Promise<void> {
  const isFirst = !store.get().home.isFirst
  store.update((state) => ({ ...state, home: { ...state.home, isFirst } }))
  await background.notices.attempt('Not remembered: ', async () => {
    await world.setFirst(isFirst ? 'home' : undefined)
    background.notices.done(isFirst ? 'crm browse begins with Home' : 'crm browse begins with the screen shown last')
  })
}
