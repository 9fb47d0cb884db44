import { type CrmRecord, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { REJECTED } from '../background/event-row.ts'
import { currentRow, rowId, shownPosition } from '../list/list-state.ts'
import { moveTo, setFilter } from '../list/list-view.ts'
import { listHeight } from '../look/areas.ts'
import { screenLack } from '../offered.ts'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { openScreen } from './open-screen.ts'

/** Records of one list, and where they were found: `job_0abc`. */
interface Reached {
  readonly name: ServerList
  readonly ids: readonly string[]
  readonly by: string
}

export const REACH: readonly Action[] = [
  {
    id: 'open-records',
    title: 'Open the record of the event, or the records that the job changed, on their screen',
    screens: ['events', 'jobs'],
    keys: ['.'],
    footer: 'records',
    refusal: (state) => {
      if (state.screen === 'jobs') return currentRow(state.lists.jobs) ? undefined : 'there is no job'
      const goal = ofEvent(state)
      return typeof goal === 'string' ? goal : undefined
    },
    run: (ui) => void openRecords(ui),
  },
]

/** The record of the event under the cursor, or why it is on no screen. */
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
  try {
    const found = await background.findRecords(name, ids)
    // The person did not go on meanwhile.
    if (store.get().screen === screen && !store.get().overlay) showFound(ui, goal, found)
  } catch (error) {
    background.notices.problem(error, `The records of ${by} are not shown: `)
  }
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

/** With the cursor on it and its pane open, also where / hides it. */
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
