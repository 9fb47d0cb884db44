import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { Journal } from '../store/journal.ts'
import { convertEarlier, openJob, withJob } from '../store/open-job.ts'
import { type Account, JobProgress, rowTotals } from '../store/progress.ts'
import { type JobState, stateOrDamage } from './job-state.ts'

/** Ends a job permanently: done rows stay done, and the rest is never sent. */
export function cancelJob(paths: JobPaths, nowMs: () => number): Promise<Account> {
  return withJobLock(paths, () => cancelLocked(paths, nowMs))
}

async function cancelLocked(paths: JobPaths, nowMs: () => number): Promise<Account> {
  await convertEarlier(paths)
  const job = openJob(paths)
  try {
    return cancelOpen(job, paths, nowMs)
  } finally {
    job.close()
  }
}

function cancelOpen(job: JobFile, paths: JobPaths, nowMs: () => number): Account {
  job.verify()
  const progress = JobProgress.of(job)
  if (progress.end !== undefined) {
    throw new CrmError('conflict', `${paths.id} is already ${progress.end}`, { hint: `crm jobs show ${paths.id}` })
  }
  const account = rowTotals(job.end, progress)
  const { done, failed, in_doubt: doubt, unsent } = account
  const journal = new Journal(job, progress, nowMs)
  journal.append({ t: 'end', time: nowMs(), state: 'cancelled', done, failed, doubt, unsent })
  journal.close()
  return account
}

/** Undefined for a damaged job. Reads all rows, as other commands do not. */
async function damageOrState(paths: JobPaths): Promise<JobState['state'] | undefined> {
  const { state } = await stateOrDamage(paths)
  if (state === 'damaged') return undefined
  try {
    withJob(paths, (job) => job.verifyAll())
    return state
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}

/** Renames the files of a damaged job, so that no command finds it, and returns the new path. CrmError `conflict` for any other job. */
export async function setAside(paths: JobPaths): Promise<string> {
  const state = await damageOrState(paths)
  if (state !== undefined) {
    const hint = `crm jobs show ${paths.id}`
    throw new CrmError('conflict', `${paths.id} is ${state}, not damaged, so it is not set aside`, { hint })
  }
  return withJobLock(paths, async () => renameFiles(paths))
}

/** In an order in which an interruption leaves no job that has sent less than was sent. */
function renameFiles({ id, jobsFolder, db, earlier }: JobPaths): string {
  const aside = join(jobsFolder, `.damaged-${id}`)
  try {
    if (existsSync(earlier)) renameSync(earlier, aside)
    if (!existsSync(db)) return aside
    for (const end of ['', '-wal', '-journal'])
      if (existsSync(`${db}${end}`)) renameSync(`${db}${end}`, `${aside}.db${end}`)
    return `${aside}.db`
  } catch (error) {
    throw toMachineError(error, aside)
  }
}
