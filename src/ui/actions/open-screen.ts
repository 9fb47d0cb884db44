import type { CrmRecord } from '../../core/resources/registry.ts'
import { learnOffered } from '../background/learn-offered.ts'
import { rowId } from '../list/list-state.ts'
import { screenLack } from '../offered.ts'
import { titleOf } from '../screens/all-screens.tsx'
import {
  FIXED_SCREENS,
  HOME_LISTS,
  isServerList,
  listOfScreen,
  type ScreenName,
  SESSION_SCREENS,
  type ServerList,
} from '../screens.ts'
import type { State } from '../state.ts'
import type { Action, Ui } from '../ui.ts'

const TOUR = FIXED_SCREENS.filter((each) => !SESSION_SCREENS.includes(each))

export const SCREEN_ACTIONS: readonly Action[] = [
  {
    id: 'screen-next',
    title: 'Next screen',
    keys: ['tab'],
    footer: 'next screen',
    run: (ui) => openScreen(ui, nextScreen(ui.store.get(), 1)),
  },
  {
    id: 'screen-before',
    title: 'Previous screen',
    keys: ['shift-tab'],
    run: (ui) => openScreen(ui, nextScreen(ui.store.get(), -1)),
  },
  ...TOUR.map(
    (screen, index): Action => ({
      id: `screen-${screen}`,
      title: `Go to ${titleOf(screen)}`,
      keys: [String(index), `alt-${index}`],
      refusal: (state) => screenLack(state, screen),
      run: (ui) => openScreen(ui, screen),
    }),
  ),
  { id: 'screen-log', title: 'Go to the log of messages', keys: ['!'], run: (ui) => openScreen(ui, 'log') },
]

function nextScreen(state: State, step: number): ScreenName {
  const shown = TOUR.filter((each) => each === state.screen || screenLack(state, each) === undefined)
  const index = shown.indexOf(state.screen as (typeof TOUR)[number])
  return shown[(index + step + shown.length) % shown.length] ?? 'contacts'
}

/** Opens a screen, and loads its list the first time, or as `load` does. */
export function openScreen(ui: Ui, screen: ScreenName, load?: () => Promise<void>): void {
  const { store, background } = ui
  store.update((state) => ({
    ...state,
    screen,
    screenBefore: state.screen === 'log' ? state.screenBefore : state.screen,
  }))
  if (screen === 'events') void ui.background.events.look()
  if (screen === 'jobs') ui.background.jobs.watch()
  if (screen === 'webhooks') void ui.background.webhooks.look()
  if (screen === 'home') return void loadHome(ui)
  const name = listOfScreen(screen)
  if (!isServerList(name)) return
  const list = store.get().lists[name]
  const isEmpty = list.rows.length === 0 && !list.isComplete
  const loaded = load ? load() : isEmpty ? background.lists.more(name) : Promise.resolve()
  if (screen === 'pipelines') void loaded.then(() => loadStages(ui))
}

/** The first pages of contacts and deals as far as the server has them, the stages, and the jobs of this machine. */
async function loadHome(ui: Ui): Promise<void> {
  const { store, background, world } = ui
  await learnOffered(store, world.openApi)
  const isMissing = (name: ServerList) => {
    const { rows, isComplete } = store.get().lists[name]
    return rows.length === 0 && !isComplete && store.get().offered.lacks[`list ${name}`] === undefined
  }
  const lists = HOME_LISTS.filter(isMissing).map(background.lists.more)
  await Promise.all([...lists, background.jobs.look(), background.webhooks.look()])
  await loadStages(ui)
}

/** Loads the stages of the first deal's pipeline: no documented endpoint lists pipelines. */
export async function loadStages({ store, world, background }: Ui): Promise<void> {
  const { board, lists } = store.get()
  if (board.stages) return
  const pipelineId = lists.deals.rows.map((deal) => deal.pipeline_id).find((id) => typeof id === 'string')
  if (typeof pipelineId !== 'string') return
  try {
    const api = await world.openApi()
    const stages: CrmRecord[] = []
    for await (const { items } of api.stages(pipelineId).list()) stages.push(...items)
    const known = stages.filter((stage) => rowId(stage) !== undefined || typeof stage.name === 'string')
    store.update((state) => ({ ...state, board: { ...state.board, stages: known } }))
  } catch (error) {
    background.notices.problem(error, 'Stages are in the order of the deals: ')
  }
}
