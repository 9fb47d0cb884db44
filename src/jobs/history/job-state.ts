import { CrmError } from '../../core/errors.ts'
import type { JobTotals, PlanCounts, PlanHead } from '../plan/plan-format.ts'
import { type FieldCount, FieldCounts, fieldsOfPlan } from '../plan/preview.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { holderOf, isJobLocked } from '../store/job-lock.ts'
import { withJob } from '../store/open-job.ts'
import { type Account, JobProgress, rowTotals } from '../store/progress.ts'

/** `planned`: nothing was sent yet. `stopped`: it was begun, and can be resumed. */
export const JOB_STATES = ['planned', 'running', 'stopped', 'finished', 'cancelled'] as const

export interface JobState {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: JobTotals
  readonly state: (typeof JOB_STATES)[number]
  /** For people: the process that sends it now. */
  readonly sentBy: string | undefined
  readonly account: Account
  readonly progress: JobProgress
}

/** The state of a job, from all its results: a second for a million rows. */
export async function readJobState(paths: JobPaths): Promise<JobState> {
  // First: a job that ends while its file is read would count as stopped.
  const isRunning = isJobLocked(paths)
  return withJob(paths, (job) => {
    job.verify()
    const { head, end } = job
    const progress = JobProgress.of(job)
    const state = isRunning ? 'running' : (progress.end ?? (progress.lastOpen ? 'stopped' : 'planned'))
    const sentBy = isRunning ? holderOf(paths) : undefined
    return { paths, head, end, state, sentBy, account: rowTotals(end, progress), progress }
  })
}

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
  return withJob(paths, (job) => fieldsOfPlan(job).map(({ field }) => field))
}

export function restOfJob(paths: JobPaths): RestOfJob {
  return withJob(paths, (plan) => {
    const progress = JobProgress.of(plan)
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
  })
}
