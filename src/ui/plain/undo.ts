import type { PlanReverse } from '../background/plan-reverse.ts'
import { rowId } from '../list/list-state.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain } from './plain.ts'

/** The last change; in jobs, the job with the number. */
export function undoLast(plain: Plain, rest: string): Promise<void> {
  if (rest === '' || plain.listing.screen() !== 'jobs') return reverse(plain, 'undo')
  const [job] = rowsOf(rest, plain.listing)
  return reverse(plain, { jobId: rowId(job) ?? '' })
}

export function redoLast(plain: Plain): Promise<void> {
  return reverse(plain, 'redo')
}

async function reverse(plain: Plain, of: Parameters<PlanReverse>[0]): Promise<void> {
  const plan = await plain.background.planReverse(of)
  if (!plan) return
  if (await isConfirmed(plain, plan)) await plan.send()
  else plan.drop()
}
