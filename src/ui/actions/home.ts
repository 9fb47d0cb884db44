import { lastHomeTop } from '../components/home.tsx'
import { listHeight } from '../look/areas.ts'
import { HOME_LISTS, type ScreenName } from '../screens.ts'
import type { State } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { askLoadAll } from './ask-load-all.ts'
import { loadStages } from './open-screen.ts'

const HOME: readonly ScreenName[] = ['home']

/** By lines of the screen, or to an end of it. */
const SCROLLS: readonly (readonly [
  id: string,
  title: string,
  keys: readonly string[],
  lines: (height: number) => number,
])[] = [
  ['home-down', 'Down', ['j', 'down'], () => 1],
  ['home-up', 'Up', ['k', 'up'], () => -1],
  ['home-half-down', 'Half a screen down', ['ctrl-d'], (height) => Math.ceil(height / 2)],
  ['home-half-up', 'Half a screen up', ['ctrl-u'], (height) => -Math.ceil(height / 2)],
  ['home-page-down', 'A screen down', ['pagedown', 'ctrl-f'], (height) => height],
  ['home-page-up', 'A screen up', ['pageup', 'ctrl-b'], (height) => -height],
  ['home-top', 'First line', ['g g', 'home'], () => -Infinity],
  ['home-end', 'Last line', ['G', 'end'], () => Infinity],
]

export const HOME_ACTIONS: readonly Action[] = [
  {
    id: 'home-load-all',
    title: 'Load all contacts and deals, so that the figures are of all',
    screens: HOME,
    keys: ['L'],
    footer: 'load all',
    refusal: (state) => (loadable(state).length === 0 ? 'all are loaded' : undefined),
    run: (ui) => askLoadAll(ui, loadable(ui.store.get())),
  },
  {
    id: 'home-reload',
    title: 'Reload',
    screens: HOME,
    keys: ['r'],
    footer: 'reload',
    run: (ui) => void reload(ui),
  },
  {
    id: 'home-first',
    title: 'Begin with Home, or with the screen that was shown last',
    screens: HOME,
    keys: ['B'],
    footer: 'begin here',
    run: (ui) => void toggleFirst(ui),
  },
  ...SCROLLS.map(
    ([id, title, keys, lines]): Action => ({
      ...{ id, title, keys, screens: HOME },
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
  try {
    await world.setFirst(isFirst ? 'home' : undefined)
    background.notices.done(isFirst ? 'crm browse begins with Home' : 'crm browse begins with the screen shown last')
  } catch (error) {
    background.notices.problem(error, 'Not remembered: ')
  }
}
