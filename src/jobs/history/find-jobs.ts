import { existsSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import { ID_PREFIXES } from '../../core/ids.ts'
import { namesIn } from '../../files/names-in.ts'
import { type JobPaths, jobPaths } from '../journal/job-folder.ts'
import { openJobPlan } from '../journal/job-plan.ts'
import type { PlanHead } from '../plan/plan-head.ts'

/** The jobs of a folder, the oldest first; a folder that is not there has none. */
export function allJobs(jobsFolder: string): readonly JobPaths[] {
  const names = namesIn(jobsFolder).filter((name) => name.startsWith(ID_PREFIXES.job))
  return names.toSorted().map((id) => jobPaths(jobsFolder, id))
}

/** By its id, or by an end of it that no other job has; CrmError `not_found`. */
export function findJob(jobsFolder: string, word: string): JobPaths {
  const exact = jobPaths(jobsFolder, word)
  if (word.startsWith(ID_PREFIXES.job) && !word.includes('/') && existsSync(exact.plan)) return exact
  const found = allJobs(jobsFolder).filter(({ id }) => word.length >= 3 && id.endsWith(word))
  if (found[0] && found.length === 1) return found[0]
  const reason =
    found.length > 1 ? `${found.length} jobs end in ${JSON.stringify(word)}` : `there is no job ${JSON.stringify(word)}`
  throw new CrmError('not_found', `${reason} in ${jobsFolder}`, { hint: 'crm jobs list' })
}

export function headOf(paths: JobPaths): PlanHead {
  const file = openJobPlan(paths)
  file.close()
  return file.head
}
