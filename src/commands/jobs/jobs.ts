import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addJobsCancel } from './cancel.ts'
import { addJobsFailed } from './failed.ts'
import { addJobsList } from './list.ts'
import { addJobsPrune } from './prune.ts'
import { addJobsResume } from './resume.ts'
import { addJobsRetry } from './retry.ts'
import { addJobsShow } from './show.ts'
import { addJobsUndo } from './undo.ts'

export function addJobs(program: CommandUnknownOpts, act: Act): void {
  const jobs = program.command('jobs').description('bulk work: what was sent, what is left, what failed')
  addJobsList(jobs, act)
  addJobsShow(jobs, act)
  addJobsResume(jobs, act)
  addJobsFailed(jobs, act)
  addJobsRetry(jobs, act)
  addJobsUndo(jobs, act)
  addJobsCancel(jobs, act)
  addJobsPrune(jobs, act)
}
