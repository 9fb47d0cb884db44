import { CrmError } from '../../core/errors.ts'
import { fieldsOfJob } from '../history/job-state.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import type { PlanOperation } from './plan-format.ts'

/** CrmError `usage` for a member that the job did not write. */
export function refuseUnwritten(paths: JobPaths, only: readonly string[]): void {
  const written = fieldsOfJob(paths)
  const wrong = only.find((name) => !written.includes(name))
  if (wrong === undefined) return
  const what = written.length === 0 ? 'it wrote none' : `it wrote ${written.join(', ')}`
  throw new CrmError('usage', `--fields: ${paths.id} did not write ${wrong}; ${what}`, {
    hint: `name members that it wrote, or leave out --fields`,
    job: paths.id,
  })
}

/** Operations of the job of which an undo of some members reverts nothing. */
export interface Stayed {
  create: number
  delete: number
}

/** With `only` the changes of records alone; what the job created or deleted is counted. */
export function isChosen(
  { head: { do: kind } }: PlanOperation,
  only: readonly string[] | undefined,
  stayed: Stayed,
): boolean {
  if (!only) return true
  if (kind === 'create' || kind === 'delete') stayed[kind]++
  return kind === 'update'
}

export function stayedLines({ create, delete: deleted }: Stayed): readonly string[] {
  const parts = [create > 0 ? `${create} created` : '', deleted > 0 ? `${deleted} deleted` : ''].filter(Boolean)
  return parts.length === 0 ? [] : [`Left unchanged because of --fields: ${parts.join(', ')}.`]
}
