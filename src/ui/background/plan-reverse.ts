import { listOfScreen, titleOf } from '../screens.ts'
import type { State, StateStore } from '../state.ts'
import type { DiffLine } from '../text/diff-line.ts'
import type { JobList } from './job-list.ts'
import { leadOf, type Notices } from './notices.ts'
import type { Undo, UndoHistory, UndoKind, UndoOfChange } from './undo-history.ts'

/** What takes the newest change back, or does it again; nothing is sent before `send`. */
export interface ReversePlan {
  readonly title: string
  readonly verb: string
  readonly diff: readonly DiffLine[]
  readonly lines: readonly string[]
  readonly count: number
  send(): Promise<void>
  drop(): void
}

/** Undefined where there is nothing to send, which a message explains. */
export type PlanReverse = (kind: UndoKind) => Promise<ReversePlan | undefined>

interface Parts {
  readonly store: StateStore<State>
  readonly notices: Notices
  readonly history: UndoHistory
  readonly planUndo: JobList['planUndo']
}

const WORDS = {
  undo: { verb: 'Undo', none: 'There is no change of this session to undo', done: 'Undone', failed: 'Not undone: ' },
  redo: { verb: 'Redo', none: 'Nothing was undone that can be done again', done: 'Redone', failed: 'Not redone: ' },
} as const

export function createPlanReverse({ store, notices, history, planUndo }: Parts): PlanReverse {
  async function reverse(kind: UndoKind, entry: UndoOfChange): Promise<void> {
    const { done, failed } = WORDS[kind]
    try {
      history.reversed(kind, entry, await entry.reverse())
      notices.done(`${done}: ${entry.what}`)
    } catch (error) {
      notices.problem(error, leadOf(error, { failed, open: `${WORDS[kind].verb}: ` }))
    }
  }

  return async (kind) => {
    const { screen, underWay, place } = store.get()
    const { verb, none } = WORDS[kind]
    // Else it would take back the change before the one that is being sent.
    if (underWay.length > 0) return void notices.wait('A change is being sent; press the key after that')
    const entry = history.newest(kind)
    if (!entry) return void notices.wait(none)
    const { what, name } = entry
    if (entry.type === 'barrier')
      return void notices.wait(`${what} cannot be taken back, nor can what was changed before it`)
    const elsewhere = listOfScreen(screen) === name ? [] : [`It was made on ${titleOf(name)}, not on this screen.`]
    const head = { verb, title: `${verb} ${what} (${name}) on ${place.text}?` }
    if (entry.type === 'change') {
      const send = () => reverse(kind, entry)
      return { ...head, diff: entry.diff, lines: elsewhere, count: 1, send, drop: () => {} }
    }
    const plan = await planUndo(entry.id)
    if (!plan) return undefined
    const { id, diff, lines, rows, drop } = plan
    const send = async () => {
      const by: Undo = { ...entry, id }
      history.reversed(kind, entry, by)
      await plan.send()
    }
    return { ...head, diff, lines: [...elsewhere, ...lines], count: rows, send, drop }
  }
}
