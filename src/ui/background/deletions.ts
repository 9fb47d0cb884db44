import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { currentRow, removeRow, rowId, withId, withoutId } from '../list/list-state.ts'
import { listOfScreen, type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { recordName, rowsText } from '../text/change-text.ts'
import type { DoneCommands } from './done-commands.ts'
import { leadOf, lookText, type Notices } from './notices.ts'
import { type History, type UnderWay, withBarrier } from './under-way.ts'

/** The delay of a deletion, which cannot be undone. */
export const GRACE_MS = 6_000
const graceText = (seconds: number) => `deleted for good in ${seconds} s; u cancels, one at a time`

export interface Deletions {
  add(list: ServerList, rows: readonly CrmRecord[]): void
  /** Adds kept deletions, which wait for the commit. */
  hold(list: ServerList, rows: readonly CrmRecord[]): void
  /** Cancels the deletion under the cursor, else the last; false when there is none. */
  takeBack(): boolean
  /** The rows of a list that wait to be deleted. */
  waiting(list: ServerList): readonly CrmRecord[]
  /** Sends the kept deletions of a list. */
  commit(list: ServerList): Promise<void>
  /** Sends all deletions now. */
  flush(): Promise<void>
  /** Stops the grace period until `resume`, which starts it again. */
  pause(): void
  resume(): void
  /** Drops the kept deletions of a list. */
  release(list: ServerList): void
  /** Drops all deletions. */
  drop(): void
}

interface Waiting {
  readonly list: ServerList
  readonly id: string
  readonly row: CrmRecord
  readonly isHeld: boolean
  /** Undefined for kept deletions, and while paused. */
  timer: NodeJS.Timeout | undefined
}

interface Parts {
  readonly store: StateStore<State>
  readonly openApi: () => Promise<Api>
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  readonly history: History
  readonly signal: AbortSignal
  /** Aborts requests that may finish after the program was stopped. */
  readonly late: AbortSignal
}

export function createDeletions(parts: Parts): Deletions {
  const { store, notices, underWay, signal } = parts
  let waiting: readonly Waiting[] = []

  const mark = (each: Waiting, as: Mark) => store.update((state) => withMark(state, each, as))

  async function begin(each: Waiting): Promise<void> {
    // A deletion that was not sent before the stop is kept.
    if (signal.aborted) return
    forget(each)
    mark(each, 'deleting')
    const what = `the deletion of ${recordName(each.row)}`
    if (!(await underWay.track(what, () => send(parts, each)))) wait(each.list, [each.row], true)
  }

  function forget(each: Waiting): void {
    clearTimeout(each.timer)
    waiting = waiting.filter((other) => other !== each)
  }

  function start(each: Waiting): void {
    each.timer ??= setTimeout(() => void begin(each), GRACE_MS)
  }

  function wait(list: ServerList, rows: readonly CrmRecord[], isHeld: boolean): void {
    for (const row of rows) {
      const id = rowId(row)
      if (id === undefined || waiting.some((each) => each.list === list && each.id === id)) continue
      const each: Waiting = { list, id, row, isHeld, timer: undefined }
      if (!isHeld) start(each)
      waiting = [...waiting, each]
      mark(each, isHeld ? 'held' : 'deleting')
    }
  }

  function release(chosen: readonly Waiting[]): void {
    for (const each of chosen) {
      forget(each)
      mark(each, 'none')
    }
  }

  const held = (list: ServerList) => waiting.filter((each) => each.list === list && each.isHeld)

  return {
    add: (list, rows) => {
      wait(list, rows, false)
      countDown(notices, list, rows)
    },
    hold: (list, rows) => wait(list, rows, true),
    takeBack: () => {
      const { screen, lists } = store.get()
      const name = listOfScreen(screen)
      const current = rowId(currentRow(lists[name]))
      const chosen = waiting.find(({ list, id }) => list === name && id === current) ?? waiting.at(-1)
      if (!chosen) return false
      release([chosen])
      const more = waiting.length > 0 ? `; ${waiting.length} more will be deleted` : ''
      notices.done(`Kept ${recordName(chosen.row)}${more}`)
      return true
    },
    waiting: (list) => waiting.flatMap((each) => (each.list === list ? [each.row] : [])),
    commit: async (list) => void (await Promise.all(held(list).map(begin))),
    flush: async () => void (await Promise.all(waiting.map(begin))),
    pause: () => {
      for (const each of waiting) {
        clearTimeout(each.timer)
        each.timer = undefined
      }
    },
    resume: () => {
      const paused = waiting.filter(({ isHeld }) => !isHeld)
      for (const each of paused) start(each)
      const rowsOf = (list: ServerList) => paused.flatMap((each) => (each.list === list ? [each.row] : []))
      for (const list of serverLists()) countDown(notices, list, rowsOf(list))
    },
    release: (list) => release(held(list)),
    drop: () => release(waiting),
  }
}

function countDown(notices: Notices, list: ServerList, rows: readonly CrmRecord[]): void {
  if (rows.length === 0) return
  notices.countDown(GRACE_MS / 1000, (seconds) => `${rowsText(rows, list)}: ${graceText(seconds)}`)
}

type Mark = 'none' | 'deleting' | 'held'

function withMark(state: State, { list: name, id }: Waiting, mark: Mark): State {
  return withList(state, name, (list) => ({
    ...list,
    deleting: mark === 'none' ? withoutId(list.deleting, id) : withId(list.deleting, id),
    held: mark === 'held' ? withId(list.held, id) : withoutId(list.held, id),
  }))
}

/** False when it was stopped before the request was sent. */
async function send({ store, openApi, notices, commands, history, late }: Parts, waiting: Waiting): Promise<boolean> {
  const { list, id, row } = waiting
  const name = recordName(row)
  try {
    const what = `the deletion of ${name}`
    await withBarrier(history, what, async () =>
      (await openApi())[list].delete(id, { ifMatch: undefined, isLetFinish: true, signal: late }),
    )
    history.add({ type: 'barrier', what })
    notices.done(`Deleted ${name}`)
    commands.add([list, 'delete', id, '--yes'])
  } catch (error) {
    if (!(error instanceof CrmError && error.code === 'not_found')) {
      store.update((state) => withMark(state, waiting, 'none'))
      if (error instanceof CrmError && error.code === 'interrupted' && !error.details.isInDoubt) return false
      const open = `Deletion of ${name} (${lookText(list, id)}): `
      notices.problem(error, leadOf(error, { failed: `Not deleted: ${name}: `, open }))
      return true
    }
    notices.done(`${name} was gone already`)
  }
  store.update((state) => withList(state, list, (before) => removeRow(before, id)))
  return true
}
