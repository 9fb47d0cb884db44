import { changesOfRecord, historyCommand } from '../background/pane.ts'
import { selectedRow, serverList } from '../board.ts'
import {
  clearMarks,
  currentRow,
  cycleSort,
  markRange,
  markShown,
  moveBy,
  moveTo,
  reordered,
  rowId,
  shownCount,
  toggleMark,
} from '../list/list-state.ts'
import { listHeight } from '../look/areas.ts'
import { THEME_CHOICES, type ThemeChoice } from '../look/theme.ts'
import { openColumns, openPalette, openText } from '../overlay-keys.ts'
import {
  isServerList,
  LIVE_SCREENS,
  listOfScreen,
  type ScreenName,
  type ScreenOrObjects,
  SERVER_SCREENS,
  TABLE_SCREENS,
} from '../screens.ts'
import { currentList, showOverlay, withCurrentList, withList } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { changeHead, diffText, memberChanges } from '../text/diff.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'
import { applyFilters, askLoadAll, askServerFilter, openFilter } from './filters.ts'
import { leave } from './leave.ts'
import { openScreen } from './open-screen.ts'

export const HISTORY: readonly Action[] = onScreens(SERVER_SCREENS, [
  action('history', 'C', 'Who changed the record: all changes that the server keeps, the newest first', {
    run: (ui) => void showHistory(ui),
  }),
])

/** The command prints more. */
const MOST_CHANGES = 500

async function showHistory(ui: Ui): Promise<void> {
  const { store, boards, background, world } = ui
  const row = selectedRow(store.get(), boards)
  const id = rowId(row)
  if (!row || id === undefined) return background.notices.wait('There is no record')
  const list = serverList(store.get())
  const command = historyCommand(list, id)
  try {
    const changes = await changesOfRecord(await world.openApi(), list, id, MOST_CHANGES)
    if (!changes) {
      return background.notices.wait(`This server describes no history; ${command} shows what jobs of this machine did`)
    }
    const lines = changes.flatMap((change) => [
      changeHead(change, store.get().times),
      ...memberChanges(change).map((line) => `  ${diffText(line)}`),
    ])
    const count = changes.length < MOST_CHANGES ? String(changes.length) : `the last ${changes.length}`
    openText(ui, `Changes of ${recordName(row)} (${count})`, lines.length > 0 ? lines : ['The server keeps none.'])
  } catch (error) {
    background.notices.problem(error, `Changes of ${recordName(row)}: `)
  }
}

const TITLES: Readonly<Record<ThemeChoice, string>> = {
  auto: 'By the background of the terminal',
  dark: 'Dark, 256 colours',
  light: 'Light, 256 colours',
  contrast: 'High contrast',
  '16': 'The 16 colours of the terminal',
  none: 'No colours',
}

export const LOOKS: readonly Action[] = [
  action('theme', 'ctrl-t', 'Choose the colours: dark, light, high contrast, 16 colours, none', {
    refusal: ({ look }) => (look.colors === 'none' ? 'NO_COLOR or --color never is set' : undefined),
    run: chooseTheme,
  }),
]

function chooseTheme(ui: Ui): void {
  const { store, world, background } = ui
  const { choice } = store.get().look
  const choose = async (option: string) => {
    const chosen = THEME_CHOICES.find((each) => TITLES[each] === option) ?? 'auto'
    store.update((state) => ({ ...state, look: { ...state.look, choice: chosen } }))
    await background.notices.attempt('Not remembered: ', () => world.setTheme(chosen))
  }
  showOverlay(ui, {
    type: 'choice',
    title: 'Colours',
    options: THEME_CHOICES.map((each) => TITLES[each]),
    index: THEME_CHOICES.indexOf(choice),
    onChoose: (option) => void choose(option),
  })
}

const LIST_SCREENS: readonly ScreenOrObjects[] = [...TABLE_SCREENS, 'commands']

export const VIEW: readonly Action[] = [
  action('help', '?', 'All keys of this screen', {
    footer: 'help',
    isAlwaysFirst: true,
    run: ({ store }) => store.update((state) => ({ ...state, overlay: { type: 'help', top: 0 } })),
  }),
  action(
    'palette',
    ':',
    'Find a command; :deals stage=Won opens a screen with a filter, :profile NAME another profile, :12 goes to row 12',
    { footer: 'commands', isAlwaysFirst: true, run: openPalette },
  ),
  action(
    'filter',
    '/',
    'Find text; ~text also spread letters, /text/ a regular expression; Enter searches what is not loaded',
    { screens: [...LIST_SCREENS, 'pipelines'], footer: 'find', isAlwaysFirst: true, run: openFilter },
  ),
  action('detail', ['enter', 'o'], 'Show or hide the whole record', {
    screens: [...LIST_SCREENS, 'pipelines', 'log'],
    footer: 'details',
    isAlwaysFirst: true,
    run: toggleDetail,
  }),
  action('redraw', 'ctrl-l', 'Draw the whole screen again, also where text is typed', { run: (ui) => ui.redraw() }),
  action('quit', 'q', 'Quit', { footer: 'quit', isAlwaysFirst: true, run: (ui) => leave(ui) }),
  action('pane-down', 'J', 'Scroll the open pane', { screens: [...LIST_SCREENS, 'pipelines'], run: scrollPane(1) }),
  action('pane-up', 'K', 'Scroll it back', { screens: [...LIST_SCREENS, 'pipelines'], run: scrollPane(-1) }),
]

export const LISTING: readonly Action[] = [
  action('sort', 's', 'Sort by the selected column: up, down, unsorted', {
    screens: LIST_SCREENS,
    footer: 'sort',
    run: ({ store }) => store.update((state) => withCurrentList(state, cycleSort)),
  }),
  action('server-filter', 'f', 'Filter on the server: stage="Closed Won" owner_id=ben; Tab completes', {
    screens: SERVER_SCREENS,
    refusal: ({ offered: { fields } }) =>
      fields.deals?.filters.length === 0
        ? `${fields.deals.by} has no filters of deals; / searches the loaded rows`
        : undefined,
    run: askServerFilter,
  }),
  action('columns', 'c', 'Choose the columns, and their order', { screens: LIST_SCREENS, run: openColumns }),
  action('whole-times', 'z', 'Show times whole, or short', {
    screens: [...LIST_SCREENS, 'pipelines'],
    run: ({ store }) =>
      store.update((state) => ({ ...state, times: { ...state.times, isWhole: !state.times.isWhole } })),
  }),
  ...onScreens(LIST_SCREENS, [
    action('mark', 'space', 'Mark, and go on to the next row', {
      footer: 'mark',
      run: ({ store }) =>
        store.update((state) => withCurrentList(state, (list) => moveBy(toggleMark(list), 1, listHeight(state)))),
    }),
    action('mark-range', 'v', 'Begin a range of marks, and end it', {
      run: ({ store }) => store.update((state) => withCurrentList(state, markRange)),
    }),
    action('mark-all', 'A', 'Mark all rows that are shown and loaded', {
      refusal: (state) => (shownCount(currentList(state)) === 0 ? 'no row is shown' : undefined),
      run: ({ store }) => store.update((state) => withCurrentList(state, markShown)),
    }),
  ]),
  action('back', 'esc', 'Close, stop loading, clear marks, what / found, and the filter of f: one of them at a time', {
    run: goBack,
  }),
  action('load-all', 'L', 'Load all rows', {
    screens: SERVER_SCREENS,
    refusal: (state) => (currentList(state).isComplete ? 'all rows are loaded' : undefined),
    run: (ui) => {
      const name = listOfScreen(ui.store.get().screen)
      if (isServerList(name)) askLoadAll(ui, [name])
    },
  }),
  action('reload', 'r', 'Reload', { screens: LIVE_SCREENS, run: (ui) => reloadScreen(ui, ui.store.get().screen) }),
]

export function reloadScreen({ background, store }: Ui, screen: ScreenName): void {
  const name = listOfScreen(screen)
  // What is new is on top.
  if (isServerList(name) && store.get().lists[name].news > 0)
    store.update((state) => withList(state, name, (list) => moveTo(list, 0, 0)))
  if (isServerList(name)) void background.lists.reload(name)
  else if (name === 'events') void background.events.look()
  else if (name === 'webhooks') void background.webhooks.look()
  else void background.jobs.look()
}

function toggleDetail({ store }: Ui): void {
  store.update((state) => withCurrentList(state, (list) => ({ ...list, isDetailOpen: !list.isDetailOpen })))
  // The list may now end before its cursor.
  store.update((state) => withCurrentList(state, (list) => moveTo(list, list.cursor, listHeight(state))))
}

/** Half the lines of the smallest pane; drawing limits it to the last line. */
const PANE_STEP = 4

function scrollPane(sign: 1 | -1): Action['run'] {
  return ({ store, boards }, count = 1) =>
    store.update((state) => {
      const id = rowId(selectedRow(state, boards))
      const before = state.pane.rowId === id ? state.pane.top : 0
      return { ...state, pane: { rowId: id, top: Math.max(0, before + sign * PANE_STEP * count) } }
    })
}

/** Esc ends the first of these that is active: a request, a message, a range, the pane, marks, the found text, the filter of the server. */
function goBack(ui: Ui): void {
  const { store, background } = ui
  background.following.cancel()
  if (background.lists.cancel()) return void background.notices.done('Stopped loading')
  if (background.notices.dismiss() || store.get().screen === 'home') return
  const before = currentList(store.get())
  store.update((state) =>
    withCurrentList(state, (list) => {
      if (list.anchor !== undefined) return { ...list, anchor: undefined }
      if (list.isDetailOpen) return { ...list, isDetailOpen: false }
      if (list.marks.size > 0) return clearMarks(list)
      return list.filter === '' ? list : reordered({ ...list, filter: '' }, rowId(currentRow(list)))
    }),
  )
  const { screen, screenBefore } = store.get()
  if (screen === 'log' && currentList(store.get()) === before) return void openScreen(ui, screenBefore)
  const name = listOfScreen(screen)
  const isFiltered = before.only !== undefined || Object.keys(before.serverFilters).length > 0
  if (currentList(store.get()) === before && isServerList(name) && isFiltered) void applyFilters(ui, name, '')
}
