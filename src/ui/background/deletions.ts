import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { currentRow, removeRow, rowId, withId, withoutId } from '../list/list-state.ts'
import type { StateStore } from '../state.ts'
import { type State, withList } from '../state.ts'
import { recordName, rowsText } from '../text/change-text.ts'
import { leadOf, lookText, type Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'

/** The delay of a deletion, which cannot be undone. */
export const GRACE_MS = 6_000
const GRACE_TEXT = `deleted for good in ${GRACE_MS / 1000} s; u cancels, one at a time`

export interface Deletions {
  add(rows: readonly CrmRecord[]): void
  /** Adds kept deletions, which wait for the commit. */
  hold(rows: readonly CrmRecord[]): void
  /** Cancels the deletion under the cursor, else the last; false when there is none. */
  takeBack(): boolean
  /** All rows that wait to be deleted. */
  waiting(): readonly CrmRecord[]
  /** Sends the kept deletions. */
  commit(): Promise<void>
  /** Sends all deletions now. */
  flush(): Promise<void>
  /** Stops the grace period until `resume`, which starts it again. */
  pause(): void
  resume(): void
  /** Drops the kept deletions. */
  release(): void
  /** Drops all deletions. */
  drop(): void
}

interface Waiting {
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
  readonly underWay: UnderWay
  readonly signal: AbortSignal
  /** Aborts requests that may finish after the program was stopped. */
  readonly late: AbortSignal
}

export function createDeletions(parts: Parts): Deletions {
  const { store, notices, underWay, signal } = parts
  let waiting: readonly Waiting[] = []

  const mark = (id: string, as: Mark) => store.update((state) => withMark(state, id, as))

  async function begin(each: Waiting): Promise<void> {
    // A deletion that was not sent before the stop is kept.
    if (signal.aborted) return
    forget(each)
    mark(each.id, 'leaving')
    const what = `the deletion of ${recordName(each.row)}`
    if (!(await underWay.track(what, () => send(parts, each)))) wait([each.row], true)
  }

  function forget(each: Waiting): void {
    clearTimeout(each.timer)
    waiting = waiting.filter((other) => other !== each)
  }

  function start(each: Waiting): void {
    each.timer ??= setTimeout(() => void begin(each), GRACE_MS)
  }

  function wait(rows: readonly CrmRecord[], isHeld: boolean): void {
    for (const row of rows) {
      const id = rowId(row)
      if (id === undefined || waiting.some((each) => each.id === id)) continue
      const each: Waiting = { id, row, isHeld, timer: undefined }
      if (!isHeld) start(each)
      waiting = [...waiting, each]
      mark(id, isHeld ? 'held' : 'leaving')
    }
  }

  function release(chosen: readonly Waiting[]): void {
    for (const each of chosen) {
      forget(each)
      mark(each.id, 'none')
    }
  }

  const held = () => waiting.filter(({ isHeld }) => isHeld)

  return {
    add: (rows) => {
      wait(rows, false)
      notices.wait(`${rowsText(rows, 'contacts')}: ${GRACE_TEXT}`)
    },
    hold: (rows) => wait(rows, true),
    takeBack: () => {
      const current = rowId(currentRow(store.get().lists.contacts))
      const chosen = waiting.find(({ id }) => id === current) ?? waiting.at(-1)
      if (!chosen) return false
      release([chosen])
      const more = waiting.length > 0 ? `; ${waiting.length} more will be deleted` : ''
      notices.done(`Kept ${recordName(chosen.row)}${more}`)
      return true
    },
    waiting: () => waiting.map(({ row }) => row),
    commit: async () => void (await Promise.all(held().map(begin))),
    flush: async () => void (await Promise.all(waiting.map(begin))),
    pause: () => {
      for (const each of waiting) {
        clearTimeout(each.timer)
        each.timer = undefined
      }
    },
    resume: () => {
      for (const each of waiting) if (!each.isHeld) start(each)
    },
    release: () => release(held()),
    drop: () => release(waiting),
  }
}

type Mark = 'none' | 'leaving' | 'held'

function withMark(state: State, id: string, mark: Mark): State {
  return withList(state, 'contacts', (list) => ({
    ...list,
    deleting: mark === 'none' ? withoutId(list.deleting, id) : withId(list.deleting, id),
    held: mark === 'held' ? withId(list.held, id) : withoutId(list.held, id),
  }))
}

/** False when it was stopped before the request was sent. */
async function send({ store, openApi, notices, late }: Parts, { id, row }: Waiting): Promise<boolean> {
  const name = recordName(row)
  try {
    const { contacts } = await openApi()
    await contacts.delete(id, { ifMatch: undefined, isLetFinish: true, signal: late })
    notices.done(`Deleted ${name}`)
  } catch (error) {
    if (!(error instanceof CrmError && error.code === 'not_found')) {
      store.update((state) => withMark(state, id, 'none'))
      if (error instanceof CrmError && error.code === 'interrupted' && !error.details.isInDoubt) return false
      const open = `Deletion of ${name} (${lookText('contacts', id)}): `
      notices.problem(error, leadOf(error, { failed: `Not deleted: ${name}: `, open }))
      return true
    }
    notices.done(`${name} was gone already`)
  }
  store.update((state) => withList(state, 'contacts', (list) => removeRow(list, id)))
  return true
}
