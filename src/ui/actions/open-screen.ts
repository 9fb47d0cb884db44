import { type CrmRecord, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { REJECTED } from '../background/event-row.ts'
import { learnOffered } from '../background/learn-offered.ts'
import { currentRow, moveTo, rowId, setFilter, shownPosition } from '../list/list-state.ts'
import { listHeight } from '../look/areas.ts'
import { titleOf } from '../screens/all-screens.tsx'
import {
  FIXED_SCREENS,
  HOME_LISTS,
  isServerList,
  listOfScreen,
  type ScreenName,
  SESSION_SCREENS,
  type ServerList,
  screenLack,
  serverLists,
} from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'

const TOUR = FIXED_SCREENS.filter((each) => !SESSION_SCREENS.includes(each))

export const SCREEN_ACTIONS: readonly Action[] = [
  action('screen-next', 'tab', 'Next screen', {
    footer: 'next screen',
    run: (ui) => openScreen(ui, nextScreen(ui.store.get(), 1)),
  }),
  action('screen-before', 'shift-tab', 'Previous screen', {
    run: (ui) => openScreen(ui, nextScreen(ui.store.get(), -1)),
  }),
  ...TOUR.map(
    (screen, index): Action => ({
      id: `screen-${screen}`,
      title: `Go to ${titleOf(screen)}`,
      keys: [String(index), `alt-${index}`],
      refusal: (state) => screenLack(state, screen),
      run: (ui) => openScreen(ui, screen),
    }),
  ),
  action('screen-log', '!', 'Go to the log of messages', { run: (ui) => openScreen(ui, 'log') }),
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
  await background.notices.attempt('Stages are in the order of the deals: ', async () => {
    const api = await world.openApi()
    const stages: CrmRecord[] = []
    for await (const { items } of api.stages(pipelineId).list()) stages.push(...items)
    const known = stages.filter((stage) => rowId(stage) !== undefined || typeof stage.name === 'string')
    store.update((state) => ({ ...state, board: { ...state.board, stages: known } }))
  })
}

type Reached = { readonly name: ServerList; readonly ids: readonly string[]; readonly by: string }

export const REACH: readonly Action[] = onScreens(
  ['events', 'jobs'],
  [
    action('open-records', '.', 'Open the record of the event, or the records that the job changed, on their screen', {
      footer: 'records',
      refusal: (state) => {
        if (state.screen === 'jobs') return currentRow(state.lists.jobs) ? undefined : 'there is no job'
        const goal = ofEvent(state)
        return typeof goal === 'string' ? goal : undefined
      },
      run: (ui) => void openRecords(ui),
    }),
  ],
)

function ofEvent(state: State): Reached | string {
  const row = currentRow(state.lists.events)
  if (!row) return 'there is no event'
  if (row.event === REJECTED) return 'a rejected request names no record'
  const [noun] = cellText(row.event).split('.')
  const name = serverLists().find((list) => RESOURCES[resourceOf(list)].singular === noun)
  if (!name) return `no screen shows the record of ${cellText(row.event)}`
  const id = rowId({ id: row.record_id ?? null })
  return id === undefined ? 'the event names no record' : { name, ids: [id], by: cellText(row.event) }
}

async function openRecords(ui: Ui): Promise<void> {
  const { store, background } = ui
  const { screen, lists } = store.get()
  const goal = screen === 'jobs' ? await ofJob(ui, rowId(currentRow(lists.jobs)) ?? '') : ofEvent(store.get())
  if (goal === undefined || typeof goal === 'string') return
  const { name, ids, by } = goal
  const lack = screenLack(store.get(), name)
  if (lack !== undefined) return void background.notices.wait(lack)
  const [id = ''] = ids
  if (screen === 'events' && store.get().lists[name].rows.some((row) => rowId(row) === id)) {
    openScreen(ui, name)
    return showRow(ui, name, id)
  }
  await background.notices.attempt(`The records of ${by} are not shown: `, async () => {
    const found = await background.findRecords(name, ids)
    // The person did not go on meanwhile.
    if (store.get().screen === screen && !store.get().overlay) showFound(ui, goal, found)
  })
}

function showFound(ui: Ui, goal: Reached, found: ReadonlyMap<string, CrmRecord>): void {
  const { name, ids, by } = goal
  const { notices, lists } = ui.background
  if (found.size < ids.length) notices.wait(missingText(goal, found.size))
  const rows = ids.map((id) => found.get(id)).filter((row) => row !== undefined)
  if (rows.length === 0) return
  lists.showOnly(name, rows, `the ${rows.length === 1 ? 'record' : `${rows.length} records`} of ${by}`)
  openScreen(ui, name, async () => {})
  if (ids.length === 1) showRow(ui, name, ids[0] ?? '')
}

function missingText({ ids, by }: Reached, found: number): string {
  if (ids.length === 1) return `${ids[0]} of ${by} is deleted: the server no longer has it`
  return `${ids.length - found} of ${ids.length} records of ${by} are deleted: the server no longer has them`
}

function showRow({ store }: Ui, name: ServerList, id: string): void {
  store.update((state) =>
    withList(state, name, (list) => {
      const shown = shownPosition(list, id) >= 0 ? list : setFilter(list, '')
      return moveTo({ ...shown, isDetailOpen: true }, shownPosition(shown, id), listHeight(state))
    }),
  )
}

/** What one screen shows of a job, and reads in a few requests. */
const MOST_REACHED = 200

/** Undefined where it changed none that a screen shows, which is said. */
async function ofJob({ background }: Ui, job: string): Promise<Reached | undefined> {
  const changed = await background.jobs.changedBy(job)
  if (!changed) return undefined
  const { resource, ids } = changed
  const name = serverLists().find((list) => resourceOf(list) === resource)
  if (!name || ids.length === 0) {
    background.notices.wait(
      ids.length === 0 ? `${job} changed no record of this server that is left` : `no screen shows ${resource} records`,
    )
    return undefined
  }
  if (ids.length > MOST_REACHED)
    background.notices.wait(
      `The first ${MOST_REACHED} of ${ids.length} records of ${job} are shown; all: crm history --job ${job}`,
    )
  return { name, ids: ids.slice(0, MOST_REACHED), by: job }
}
