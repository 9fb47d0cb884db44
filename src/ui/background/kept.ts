import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { KeptChange, KeptChanges, KeptForm } from '../../settings/kept-changes.ts'
import { keptFormOf } from '../form/record-form.ts'
import { rowId } from '../list/list-state.ts'
import { formIn } from '../overlay.ts'
import { serverLists } from '../screens.ts'
import type { State, StateStore } from '../state.ts'
import { changesText } from '../text/change-text.ts'
import type { Deletions } from './deletions.ts'
import type { Notices } from './notices.ts'
import { type FindRecords, restoreChanges } from './restore-kept.ts'
import { stagedEdits } from './staging.ts'

/** Changes that are kept for the next start. */
export interface Kept {
  /** Edits and deletions that are not sent. */
  pending(): readonly KeptChange[]
  /** The unsaved text of the open form. */
  pendingForm(): KeptForm | undefined
  /** The current record of a form that was kept; undefined when it was deleted. CrmError of the server. */
  recordOf(form: KeptForm): Promise<CrmRecord | undefined>
  /** Stages the changes kept by earlier processes whose records are unchanged. */
  restore(): Promise<void>
  /** Writes what is pending to disk, in case this process dies; gives the number of changes and forms. CrmError `machine`. */
  hold(): number
  /** Removes changes that were sent from the kept ones. */
  settle(): void
  /** Writes what is pending to disk for any other process; nothing may be called after it. CrmError `machine`. */
  release(): number
  /** Drops what is pending and what was kept. CrmError `machine`. */
  discard(): void
}

interface Parts {
  readonly store: StateStore<State>
  readonly notices: Notices
  readonly deletions: Deletions
  /** Undefined without a server. */
  readonly changes: KeptChanges | undefined
  readonly findRecords: FindRecords
  /** `contacts con_1` for each record whose edits a job holds. */
  readonly ofJob: ReadonlySet<string>
}

/** A process that is ending awaits its last answers, and then releases its changes. */
const RELEASED_WITHIN_MS = 12_000
const LOOK_EVERY_MS = 500

const CHECKED_AGAIN_MS = 1_000
const LONGEST_WAIT_MS = 30_000

export function createKept(parts: Parts): Kept {
  const { store, notices, deletions, changes, findRecords, ofJob } = parts
  /** Kept by an earlier process and not compared with their records yet: they stay kept. */
  let unchecked: readonly KeptChange[] = []
  let hasKept = false
  let isOver = false

  const pending = () => pendingOf(store.get(), deletions)
  const pendingForm = () => pendingFormOf(store.get())

  function write(next: readonly KeptChange[], as: 'hold' | 'release', isFormKept = true): number {
    const form = pendingForm()
    const forms = [...(isFormKept && form ? [form] : []), ...store.get().keptForms]
    const count = next.length + forms.length
    if (count > 0 || hasKept) changes?.[as](next, forms)
    hasKept = count > 0
    return count
  }

  function kept(): readonly KeptChange[] {
    const isOfJob = ({ list, id, patch }: KeptChange) => patch !== null && ofJob.has(`${list} ${id}`)
    return [...pending().filter((change) => !isOfJob(change)), ...unchecked]
  }

  /** False while another process holds some of them. */
  async function take(isFirst: boolean): Promise<boolean> {
    const taken = await changes?.take()
    if (!taken) return true
    unchecked = [...unchecked, ...taken.changes]
    hasKept ||= taken.changes.length + taken.forms.length > 0
    addForms(store, notices, taken.forms)
    if (isFirst && taken.heldBy.length > 0) notices.wait(heldText(taken.heldBy))
    await check()
    return taken.heldBy.length === 0
  }

  async function check(): Promise<void> {
    for (const list of serverLists()) {
      const ofList = unchecked.filter((change) => change.list === list)
      if (ofList.length > 0) await restoreChanges(parts, list, ofList)
      unchecked = unchecked.filter((change) => change.list !== list)
    }
  }

  async function restore(): Promise<void> {
    try {
      await untilTaken(take, () => isOver)
    } catch (error) {
      notices.problem(error, unchecked.length > 0 ? 'Kept changes could not be checked, and stay kept: ' : '')
      // Not awaited: it may take as long as the server is away.
      void untilAnswered(check, () => isOver || unchecked.length === 0)
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
    discard: () => void write(unchecked, 'hold', false),
  }
}

/** The server may be away at the start: checks again, ever less often, until it answers. */
async function untilAnswered(check: () => Promise<void>, isOver: () => boolean): Promise<void> {
  for (let waitMs = CHECKED_AGAIN_MS; !isOver(); waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    await sleep(waitMs, undefined, { ref: false })
    if (isOver()) return
    try {
      await check()
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
    }
  }
}

async function untilTaken(take: (isFirst: boolean) => Promise<boolean>, isOver: () => boolean): Promise<void> {
  const untilMs = performance.now() + RELEASED_WITHIN_MS
  for (let isFirst = true; !isOver(); isFirst = false) {
    if ((await take(isFirst)) || performance.now() >= untilMs) return
    await sleep(LOOK_EVERY_MS, undefined, { ref: false })
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
  const edits = serverLists().flatMap((list) =>
    stagedEdits(state.lists[list]).map(({ row, patch }) => ({ list, id: rowId(row) ?? '', patch, before: row })),
  )
  const deleted = serverLists().flatMap((list) =>
    deletions.waiting(list).map((row) => ({ list, id: rowId(row) ?? '', patch: null, before: row })),
  )
  return [...edits, ...deleted]
}

function addForms(store: StateStore<State>, notices: Notices, forms: readonly KeptForm[]): void {
  if (forms.length === 0) return
  store.update((state) => ({ ...state, keptForms: [...state.keptForms, ...forms] }))
  notices.wait(`${changesText(0, forms.length)} kept from the last session, not sent yet: i opens it`)
}

function heldText(pids: readonly number[]): string {
  const who = pids.length === 1 ? `another crm (process ${pids[0]})` : `other crm (processes ${pids.join(', ')})`
  return `Kept changes are held by ${who}, and are not shown here`
}
