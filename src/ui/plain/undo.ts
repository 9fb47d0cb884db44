import type { UndoKind } from '../background/undo-history.ts'
import { rowId } from '../list/list-state.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain } from './plain.ts'

/** The last change; in jobs, the job with the number. */
export async function undoLast(plain: Plain, rest: string): Promise<void> {
  if (rest === '' || plain.listing.screen() !== 'jobs') return reverse(plain, 'undo')
  for (const row of rowsOf(rest, plain.listing).slice(0, 1)) await undoJob(plain, rowId(row) ?? '')
}

export function redoLast(plain: Plain): Promise<void> {
  return reverse(plain, 'redo')
}

async function reverse(plain: Plain, kind: UndoKind): Promise<void> {
  const plan = await plain.background.planReverse(kind)
  if (!plan) return
  if (await isConfirmed(plain, plan)) await plan.send()
  else plan.drop()
}

async function undoJob(plain: Plain, id: string): Promise<void> {
  const undo = await plain.background.jobs.planUndo(id)
  if (!undo) return
  const title = `Undo ${id} (${undo.rows} changes) on ${plain.store.get().place.text}?`
  if (await isConfirmed(plain, { ...undo, title, count: undo.rows })) await undo.send()
  else undo.drop()
}
