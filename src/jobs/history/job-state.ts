import { CrmError } from '../../core/errors.ts'
import { isLocked } from '../../files/lock.ts'
import { type JobPaths, openJobPlan, readJobPlan } from '../journal/job-folder.ts'
import { type Account, type JobProgress, readProgress, rowTotals } from '../journal/progress.ts'
import type { PlanCounts, PlanEnd, PlanHead } from '../plan/plan-format.ts'
import { type FieldCount, FieldCounts, fieldsOfPlan } from '../plan/plan-writer.ts'

/** `planned`: nothing was sent yet. `stopped`: it was begun, and can be resumed. */
export const JOB_STATES = ['planned', 'running', 'stopped', 'finished', 'cancelled'] as const

export interface JobState {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: PlanEnd
  readonly state: (typeof JOB_STATES)[number]
  readonly account: Account
  readonly progress: JobProgress
}

/** The state of a job, from its whole plan and journal: a second for a million rows. */
export async function readJobState(paths: JobPaths): Promise<JobState> {
  const plan = readJobPlan(paths)
  // First: a job that ends while its journal is read would count as stopped.
  const isRunning = await isLocked(paths.lock)
  const progress = readProgress(paths.journal, plan.count)
  const state = isRunning ? 'running' : (progress.end ?? (progress.lastOpen ? 'stopped' : 'planned'))
  return { paths, head: plan.head, end: plan.end, state, account: rowTotals(plan.end, progress), progress }
}

/** A damaged job: only the reason is known. */
export interface DamagedJob {
  readonly paths: JobPaths
  readonly state: 'damaged'
  readonly reason: string
}

/** For commands that read all jobs: a damaged job must not make them fail. */
export async function stateOrDamage(paths: JobPaths): Promise<JobState | DamagedJob> {
  try {
    return await readJobState(paths)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return { paths, state: 'damaged', reason: error.message }
  }
}

/** What an existing job would still send. */
export interface RestOfJob {
  /** Operations that have ended count as skipped. */
  readonly counts: PlanCounts
  readonly fields: readonly FieldCount[]
}

/** The members that the operations of a job write, each once. Reads its whole plan. */
export function fieldsOfJob(paths: JobPaths): readonly string[] {
  const plan = openJobPlan(paths)
  try {
    return fieldsOfPlan(plan).map(({ field }) => field)
  } finally {
    plan.close()
  }
}

export function restOfJob(paths: JobPaths): RestOfJob {
  const plan = openJobPlan(paths)
  try {
    const progress = readProgress(paths.journal, plan.count)
    const fields = new FieldCounts()
    const { rows, unchanged, skipped } = plan.end
    const counts = { rows, create: 0, update: 0, delete: 0, fail: 0, unchanged, skipped }
    for (const operation of plan.all()) {
      if (progress.hasEnd(operation.op) || progress.end !== undefined) counts.skipped += 1
      else {
        counts[operation.head.do] += 1
        fields.addFrom(operation)
      }
    }
    return { counts, fields: fields.list() }
  } finally {
    plan.close()
  }
}
