import type { CrmRecord } from '../../core/resources.ts'
import type { KeptChange, KeptChanges } from '../../settings/kept-changes.ts'
import { type ListState, rowId } from '../list/list-state.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { type Checked, checkKept } from './check-kept.ts'
import type { Deletions } from './deletions.ts'
import type { Notices } from './notices.ts'
import { stagedEdits } from './staging.ts'

/** Finds records by their ids; those that are not there are not in the answer. */
export type FindRecords = (list: KeptChange['list'], ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>

/** Changes that outlive the screens. */
export interface Kept {
  /** Edits and deletions that nothing has been sent of. */
  pending(): readonly KeptChange[]
  /** Stages what was kept the last time, as far as its records are as they were. */
  restore(): Promise<void>
  /** Writes down what is pending; gives how many that are. CrmError `machine`. */
  keep(): number
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

export function createKept({ store, notices, deletions, changes, findRecords, ofJob }: Parts): Kept {
  /** Kept the last time, and not looked at yet: they stay kept. */
  let unchecked: readonly KeptChange[] = []
  let hasKept = false

  function pending(): readonly KeptChange[] {
    const edits = LISTS.flatMap((list) =>
      stagedEdits(store.get().lists[list]).map(({ row, patch }) => ({
        list,
        id: rowId(row) ?? '',
        patch,
        before: row,
      })),
    )
    const deleted = deletions
      .waiting()
      .map((row): KeptChange => ({ list: 'contacts', id: rowId(row) ?? '', patch: null, before: row }))
    return [...edits, ...deleted]
  }

  function write(next: readonly KeptChange[]): void {
    if (next.length === 0 && !hasKept) return
    changes?.write(next)
    hasKept = next.length > 0
  }

  async function restoreList(list: KeptChange['list']): Promise<void> {
    const kept = unchecked.filter((change) => change.list === list)
    if (kept.length === 0) return
    const found = await findRecords(list, [...new Set(kept.map(({ id }) => id))])
    const checked = kept.map((change) => checkKept(change, found.get(change.id)))
    store.update((state) => withList(state, list, (before) => stagedAgain(before, checked)))
    if (list === 'contacts') deletions.hold(checked.flatMap((each) => (each.is === 'deletion' ? [each.row] : [])))
    unchecked = unchecked.filter((change) => change.list !== list)
    sayRestored(notices, list, checked)
  }

  async function restore(): Promise<void> {
    try {
      unchecked = (await changes?.read()) ?? []
      hasKept = unchecked.length > 0
      for (const list of LISTS) await restoreList(list)
    } catch (error) {
      notices.problem(error, unchecked.length > 0 ? 'Kept changes could not be checked, and stay kept: ' : '')
    }
  }

  return {
    pending,
    restore,
    keep: () => {
      const isOfJob = ({ list, id, patch }: KeptChange) => list === 'contacts' && patch !== null && ofJob.has(id)
      const next = [...pending().filter((change) => !isOfJob(change)), ...unchecked]
      write(next)
      return next.length
    },
    discard: () => {
      const count = pending().length
      write(unchecked)
      return count
    },
  }
}

/** Whatever a person has edited meanwhile is newer. */
function stagedAgain(list: ListState, checked: readonly Checked[]): ListState {
  const staged = new Map(list.staged)
  for (const each of checked) {
    const id = each.is === 'edit' ? rowId(each.edit.row) : undefined
    if (each.is === 'edit' && id !== undefined && !staged.has(id)) staged.set(id, each.edit)
  }
  return { ...list, staged }
}

function sayRestored(notices: Notices, list: string, checked: readonly Checked[]): void {
  const again = checked.filter(({ is }) => is !== 'dropped').length
  const leftOut = checked.flatMap((each) => (each.is === 'deletion' ? [] : each.leftOut))
  for (const text of leftOut) notices.wait(`Left out of what was kept: ${text}`)
  if (again + leftOut.length === 0) return
  const more = leftOut.length > 0 ? `; ${leftOut.length} left out, ! shows which` : ''
  notices.wait(`${changesText(again)} of ${list} kept from the last time, not sent yet: w shows and sends${more}`)
}

export function changesText(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`
}
