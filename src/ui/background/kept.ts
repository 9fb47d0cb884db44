import { setTimeout as sleep } from 'node:timers/promises'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/json-text.ts'
import { safeText } from '../../output/safe-text.ts'
import type { KeptChange, KeptChanges, KeptForm } from '../../settings/kept-changes.ts'
import { keptFormOf } from '../form/record-form.ts'
import { type ListState, rowId } from '../list/list-state.ts'
import { formIn } from '../overlay.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { type Checked, checkKept } from './check-kept.ts'
import { type Deletions, nameOf } from './deletions.ts'
import type { Notices } from './notices.ts'
import { stagedEdits } from './staging.ts'

/** Finds records by their ids; those that are not there are not in the answer. */
export type FindRecords = (list: KeptChange['list'], ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>

/** Changes that outlive the screens. */
export interface Kept {
  /** Edits and deletions that nothing has been sent of. */
  pending(): readonly KeptChange[]
  /** What was typed in the open form. */
  pendingForm(): KeptForm | undefined
  /** The record of a form that was kept, as it is now; undefined when it is gone. CrmError of the server. */
  recordOf(form: KeptForm): Promise<CrmRecord | undefined>
  /** Stages what was kept the last time, as far as its records are as they were. */
  restore(): Promise<void>
  /** Writes down what is pending, for the case that this process dies; gives how many changes and forms that are. CrmError `machine`. */
  hold(): number
  /** What was sent of changes that were kept is kept no more. */
  settle(): void
  /** Writes down what is pending, and leaves it to any start from now on: the last act. CrmError `machine`. */
  release(): number
  /** Lets go of what is pending and of what was kept; gives how many that were. CrmError `machine`. */
  discard(): number
}

interface Parts {
  readonly store: Store<State>
  readonly notices: Notices
  readonly deletions: Deletions
  /** Undefined where there is no server. */
  readonly changes: KeptChanges | undefined
  readonly findRecords: FindRecords
  /** Ids of contacts whose edits a job holds. */
  readonly ofJob: ReadonlySet<string>
}

const LISTS = ['contacts', 'deals'] as const

/** One that was ended right before waits for its last answers, and then leaves what it has. */
const HANDED_OVER_MS = 12_000
const LOOK_EVERY_MS = 500

export function createKept({ store, notices, deletions, changes, findRecords, ofJob }: Parts): Kept {
  /** Kept the last time, and not looked at yet: they stay kept. */
  let unchecked: readonly KeptChange[] = []
  let hasKept = false
  let isOver = false

  const pending = () => pendingOf(store.get(), deletions)
  const pendingForm = () => pendingFormOf(store.get())

  function write(next: readonly KeptChange[], as: 'hold' | 'release', isFormKept = true): number {
    const form = pendingForm()
    const all = [...(isFormKept && form ? [form] : []), ...store.get().keptForms]
    const count = next.length + all.length
    if (count > 0 || hasKept) changes?.[as](next, all)
    hasKept = count > 0
    return count
  }

  function kept(): readonly KeptChange[] {
    const isOfJob = ({ list, id, patch }: KeptChange) => list === 'contacts' && patch !== null && ofJob.has(id)
    return [...pending().filter((change) => !isOfJob(change)), ...unchecked]
  }

  async function restoreList(list: KeptChange['list']): Promise<void> {
    const kept = unchecked.filter((change) => change.list === list)
    if (kept.length === 0) return
    const found = await findRecords(list, [...new Set(kept.map(({ id }) => id))])
    const checked = kept.map((change) => checkKept(change, found.get(change.id)))
    const { staged, leftOut } = stagedAgain(store.get().lists[list], checked)
    store.update((state) => withList(state, list, (before) => ({ ...before, staged })))
    if (list === 'contacts') deletions.hold(checked.flatMap((each) => (each.is === 'deletion' ? [each.row] : [])))
    unchecked = unchecked.filter((change) => change.list !== list)
    sayRestored({ store, notices }, list, checked, leftOut)
  }

  /** False when another process has some of it still. */
  async function take(isFirst: boolean): Promise<boolean> {
    const taken = await changes?.take()
    if (!taken) return true
    unchecked = [...unchecked, ...taken.changes]
    hasKept ||= taken.changes.length + taken.forms.length > 0
    addForms(store, notices, taken.forms)
    if (isFirst && taken.heldBy.length > 0) notices.wait(heldText(taken.heldBy))
    for (const list of LISTS) await restoreList(list)
    return taken.heldBy.length === 0
  }

  async function restore(): Promise<void> {
    try {
      const untilMs = performance.now() + HANDED_OVER_MS
      let isFirst = true
      while (!isOver && !(await take(isFirst)) && performance.now() < untilMs) {
        isFirst = false
        await sleep(LOOK_EVERY_MS, undefined, { ref: false })
      }
    } catch (error) {
      notices.problem(error, unchecked.length > 0 ? 'Kept changes could not be checked, and stay kept: ' : '')
    }
  }

  return {
    pending,
    pendingForm,
    restore,
    recordOf: (form) => recordOf(form, findRecords),
    hold: () => write(kept(), 'hold'),
    settle: () => {
      if (!hasKept) return
      try {
        write(kept(), 'hold')
      } catch (error) {
        notices.problem(error, 'What was sent is still kept, too: ')
      }
    },
    release: () => {
      isOver = true
      return write(kept(), 'release')
    },
    discard: () => {
      const count = pending().length
      write(unchecked, 'hold', false)
      return count
    },
  }
}

function pendingFormOf({ overlay }: State): KeptForm | undefined {
  const form = formIn(overlay)
  return form && keptFormOf(form)
}

async function recordOf({ list, before }: KeptForm, findRecords: FindRecords): Promise<CrmRecord | undefined> {
  const id = rowId(before ?? {}) ?? ''
  return (await findRecords(list, [id])).get(id)
}

function pendingOf(state: State, deletions: Deletions): readonly KeptChange[] {
  const edits = LISTS.flatMap((list) =>
    stagedEdits(state.lists[list]).map(({ row, patch }) => ({ list, id: rowId(row) ?? '', patch, before: row })),
  )
  const deleted = deletions
    .waiting()
    .map((row): KeptChange => ({ list: 'contacts', id: rowId(row) ?? '', patch: null, before: row }))
  return [...edits, ...deleted]
}

/** Whatever a person has edited meanwhile is newer; of one record that was edited by two both edits are one. */
function stagedAgain(list: ListState, checked: readonly Checked[]): Pick<ListState, 'staged'> & { leftOut: string[] } {
  const staged = new Map(list.staged)
  const leftOut: string[] = []
  for (const each of checked) {
    const id = each.is === 'edit' ? rowId(each.edit.row) : undefined
    if (each.is !== 'edit' || id === undefined) continue
    const { row, patch } = each.edit
    const now = staged.get(id)?.patch ?? {}
    for (const [member, value] of Object.entries(patch)) {
      if (!Object.hasOwn(now, member) || JSON.stringify(now[member]) === JSON.stringify(value)) continue
      leftOut.push(
        `${nameOf(row)}: ${safeText(member)} was edited twice, and is not set to ${safeText(jsonText(value))}`,
      )
    }
    staged.set(id, { row, patch: { ...patch, ...now } })
  }
  return { staged, leftOut }
}

function sayRestored(
  { store, notices }: Pick<Parts, 'store' | 'notices'>,
  list: string,
  checked: readonly Checked[],
  editedTwice: readonly string[],
): void {
  const again = checked.filter(({ is }) => is !== 'dropped').length
  const leftOut = [...checked.flatMap((each) => (each.is === 'deletion' ? [] : each.leftOut)), ...editedTwice]
  store.update((state) => ({ ...state, leftOut: state.leftOut + leftOut.length }))
  if (again > 0)
    notices.wait(`${changesText(again)} of ${list} kept from the last time, not sent yet: w shows and sends`)
  // Last, because the last stands on the screen.
  for (const text of leftOut) notices.wait(`Left out of what was kept: ${text}`)
}

function addForms(store: Store<State>, notices: Notices, forms: readonly KeptForm[]): void {
  if (forms.length === 0) return
  store.update((state) => ({ ...state, keptForms: [...state.keptForms, ...forms] }))
  notices.wait(`${pendingText(0, forms.length)} kept from the last time, not sent yet: i opens it`)
}

function heldText(pids: readonly number[]): string {
  const who = pids.length === 1 ? `another crm (process ${pids[0]})` : `other crm (processes ${pids.join(', ')})`
  return `Changes that were kept are with ${who}, and are not shown here`
}

function changesText(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`
}

/** `2 changes and 1 form`; empty for none. */
export function pendingText(changes: number, forms: number): string {
  const form = forms === 0 ? [] : [forms === 1 ? '1 form' : `${forms} forms`]
  return [...(changes === 0 ? [] : [changesText(changes)]), ...form].join(' and ')
}

/** A form that cannot be opened again, for a person. */
export function formText({ list, before, texts }: KeptForm): string {
  const members = Object.entries(texts).map(([name, text]) => `${name}=${text}`)
  return safeText(`${list} ${before ? nameOf(before) : 'new'}: ${members.join(' ')}`)
}
