import { setTimeout as sleep } from 'node:timers/promises'
import type { KeptChange, KeptForm } from '../../settings/kept-changes.ts'
import { keptFormOf } from '../form/record-form.ts'
import { rowId } from '../list/list-state.ts'
import { formIn } from '../overlay.ts'
import type { State, StateStore } from '../state.ts'
import type { Parts } from './parts.ts'

/** A process that is ending awaits its last answers, and then releases its forms. */
const RELEASED_WITHIN_MS = 12_000
const LOOK_EVERY_MS = 500
/** What is typed is on disk so much later: the write waits for the disk, and keys wait for it. */
const WRITTEN_AFTER_MS = 700

/** What is on disk for the next start: the text of the open form, and what earlier sessions kept. */
export function createKept({ store, notices, changes, findRecords }: Parts) {
  let hasKept = false
  let isOver = false
  let isToldOnce = false
  let timer: NodeJS.Timeout | undefined

  const pendingForm = () => {
    const form = formIn(store.get().overlay)
    return form && keptFormOf(form)
  }

  function write(as: 'hold' | 'release', isFormKept = true): number {
    const form = isFormKept ? pendingForm() : undefined
    const { kept } = store.get()
    const forms = [...(form ? [form] : []), ...kept.forms]
    const count = kept.changes.length + forms.length
    if (count > 0 || hasKept) changes?.[as](kept.changes, forms)
    hasKept = count > 0
    return count
  }

  function writeTyped(): void {
    timer = undefined
    if (isOver) return
    try {
      write('hold')
    } catch (error) {
      if (!isToldOnce) notices.problem(error, 'What is typed would be lost if crm were killed: ')
      isToldOnce = true
    }
  }

  if (changes)
    watchTyped(store, () => {
      if (!isOver) timer ??= setTimeout(writeTyped, WRITTEN_AFTER_MS).unref()
    })

  /** What was typed last is not written after this. */
  function end(): void {
    isOver = true
    clearTimeout(timer)
  }

  /** False while another process holds some. */
  async function takeFree(): Promise<boolean> {
    const taken = await changes?.take()
    if (!taken) return true
    hasKept ||= taken.changes.length + taken.forms.length > 0
    store.update(({ kept, ...state }) => ({
      ...state,
      kept: { forms: [...kept.forms, ...taken.forms], changes: [...kept.changes, ...taken.changes] },
    }))
    return taken.heldBy.length === 0
  }

  return {
    pendingForm,
    /** Takes what earlier sessions kept: forms, and the changes that earlier versions of crm kept. */
    take: async () => {
      const isDone = () => isOver || store.get().kept.forms.length + store.get().kept.changes.length > 0
      await untilTaken(takeFree, isDone).catch((error: unknown) => notices.problem(error, ''))
    },
    /** The current record of a form that was kept; undefined when it was deleted. CrmError of the server. */
    recordOf: async ({ list, before }: KeptForm) => {
      const id = rowId(before ?? {}) ?? ''
      return (await findRecords(list, [id])).get(id)
    },
    /** These are done with: opened, in a job, or in a file. */
    forget: (what: readonly (KeptForm | KeptChange)[]) => {
      const isLeft = (each: KeptForm | KeptChange) => !what.includes(each)
      store.update(({ kept, ...state }) => ({
        ...state,
        kept: { forms: kept.forms.filter(isLeft), changes: kept.changes.filter(isLeft) },
      }))
      writeTyped()
    },
    /** Writes the changes to a new file, and gives its path. CrmError `machine`. */
    exportChanges: (of: readonly KeptChange[]) => changes?.export(of) ?? '',
    /** Writes all to disk, in case this process dies; gives the number. CrmError `machine`. */
    hold: () => write('hold'),
    /** Writes all to disk for any other process; nothing may be called after it. CrmError `machine`. */
    release: () => {
      end()
      return write('release')
    },
    /** Drops the open form; nothing may be called after it. CrmError `machine`. */
    discard: () => {
      write('hold', false)
      end()
    },
  }
}

async function untilTaken(take: () => Promise<boolean>, isDone: () => boolean): Promise<void> {
  const untilMs = performance.now() + RELEASED_WITHIN_MS
  while (!(await take()) && !isDone() && performance.now() < untilMs)
    await sleep(LOOK_EVERY_MS, undefined, { ref: false })
}

function watchTyped(store: StateStore<State>, onTyped: () => void): void {
  let seen: unknown
  store.subscribe(() => {
    const form = formIn(store.get().overlay)
    if (form !== seen) onTyped()
    seen = form
  })
}
