import { isLocked } from '../../files/lock.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { readJobPlan } from '../journal/job-folder.ts'
import { Progress } from '../journal/progress.ts'
import { readJournal } from '../journal/read-journal.ts'
import { type Account, rowTotals } from '../journal/row-totals.ts'
import type { PlanEnd, PlanHead } from '../plan/plan-head.ts'

/** `planned`: nothing was sent yet. `stopped`: it was begun, and can be resumed. */
export const JOB_STATES = ['planned', 'running', 'stopped', 'finished', 'cancelled'] as const

export interface JobState {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: PlanEnd
  readonly state: (typeof JOB_STATES)[number]
  readonly account: Account
  readonly progress: Progress
}

/** The state of a job, from its whole plan and journal: a second for a million rows. */
export async function readJobState(paths: JobPaths): Promise<JobState> {
  const plan = readJobPlan(paths)
  const progress = new Progress(plan.count)
  readJournal(paths.journal, (entry) => progress.take(entry))
  const isRunning = await isLocked(paths.lock)
  const state = isRunning ? 'running' : (progress.end ?? (progress.lastOpen ? 'stopped' : 'planned'))
  return { paths, head: plan.head, end: plan.end, state, account: rowTotals(plan.end, progress), progress }
}
