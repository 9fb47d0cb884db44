import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addJobsCancel } from './cancel.ts'
import { addJobsList } from './list.ts'
import { addJobsResume } from './resume.ts'
import { addJobsShow } from './show.ts'

export function addJobs(program: CommandUnknownOpts, act: Act): void {
  const jobs = program.command('jobs').description('bulk work: what was sent, what is left, what failed')
  addJobsList(jobs, act)
  addJobsShow(jobs, act)
  addJobsResume(jobs, act)
  addJobsCancel(jobs, act)
}
