import { titleOf } from '../screens/all-screens.tsx'
import { listOfScreen } from '../screens.ts'
import type { State, StateStore } from '../state.ts'
import type { DiffLine } from '../text/diff-line.ts'
import type { JobList } from './job-list.ts'
import { leadOf, type Notices } from './notices.ts'
import type { UndoHistory, UndoKind, UndoOfChange } from './undo-history.ts'

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

/** Of the newest change, or of a job. Undefined where there is nothing to send, which a message explains. */
export type PlanReverse = (of: UndoKind | { readonly jobId: string }) => Promise<ReversePlan | undefined>

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

  async function ofJob(
    id: string,
    head: Pick<ReversePlan, 'title' | 'verb' | 'lines'>,
    onSend: (undoId: string) => void = () => {},
  ) {
    const plan = await planUndo(id)
    if (!plan) return undefined
    const send = () => {
      onSend(plan.id)
      return plan.send()
    }
    return { ...head, diff: plan.diff, lines: [...head.lines, ...plan.lines], count: plan.rows, send, drop: plan.drop }
  }

  async function ofNewest(kind: UndoKind): Promise<ReversePlan | undefined> {
    const { screen, underWay, place } = store.get()
    const { verb, none } = WORDS[kind]
    // Else it would take back the change before the one that is being sent.
    if (underWay.length > 0) return void notices.wait('A change is being sent; press the key after that')
    const entry = history.newest(kind)
    if (!entry) return void notices.wait(none)
    const { what, name } = entry
    if (entry.type === 'barrier')
      return void notices.wait(`${what} cannot be taken back, nor can what was changed before it`)
    const lines = listOfScreen(screen) === name ? [] : [`It was made on ${titleOf(name)}, not on this screen.`]
    const head = { verb, title: `${verb} ${what} (${name}) on ${place.text}?`, lines }
    if (entry.type === 'job') return ofJob(entry.id, head, (id) => history.reversed(kind, entry, { ...entry, id }))
    return { ...head, diff: entry.diff, count: 1, send: () => reverse(kind, entry), drop: () => {} }
  }

  let isPlanning = false
  return async (of) => {
    // A second plan would take the place of the first, whose question is about to be shown.
    if (isPlanning) return undefined
    isPlanning = true
    try {
      if (typeof of === 'string') return await ofNewest(of)
      const head = { verb: 'Undo', title: `Undo ${of.jobId} on ${store.get().place.text}?`, lines: [] }
      const own = history.ofJob(of.jobId)
      return await ofJob(of.jobId, head, (id) => own && history.reversed(own.kind, own.entry, { ...own.entry, id }))
    } finally {
      isPlanning = false
    }
  }
}
