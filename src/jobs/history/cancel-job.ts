import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { withLock } from '../../files/lock.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { type JobPaths, readJobPlan } from '../journal/job-folder.ts'
import { Journal, readJournal } from '../journal/journal.ts'
import { type Account, JobProgress, rowTotals } from '../journal/progress.ts'
import { stateOrDamage } from './job-state.ts'

/** Ends a job permanently: done rows stay done, and the rest is never sent. */
export function cancelJob(paths: JobPaths, nowMs: () => number): Promise<Account> {
  return withLock(paths.lock, () => cancelLocked(paths, nowMs), 0)
}

async function cancelLocked(paths: JobPaths, nowMs: () => number): Promise<Account> {
  const plan = readJobPlan(paths)
  const progress = new JobProgress(plan.count)
  const whole = readJournal(paths.journal, (entry) => progress.take(entry))
  if (progress.end !== undefined) {
    throw new CrmError('conflict', `${paths.id} is already ${progress.end}`, { hint: `crm jobs show ${paths.id}` })
  }
  const account = rowTotals(plan.end, progress)
  const { done, failed, in_doubt: doubt, unsent } = account
  const journal = new Journal(paths.journal, whole, nowMs)
  try {
    journal.append({ t: 'end', time: nowMs(), state: 'cancelled', done, failed, doubt, unsent })
    await journal.sync()
  } finally {
    journal.close()
  }
  return account
}

/** Renames the folder of a damaged job, so that no command finds it, and returns the new path. CrmError `conflict` for any other job. */
export async function setAside(paths: JobPaths): Promise<string> {
  const { state } = await stateOrDamage(paths)
  if (state !== 'damaged') {
    const hint = `crm jobs show ${paths.id}`
    throw new CrmError('conflict', `${paths.id} is ${state}, not damaged, so it is not set aside`, { hint })
  }
  const aside = join(dirname(paths.folder), `.damaged-${paths.id}`)
  try {
    renameSync(paths.folder, aside)
  } catch (error) {
    throw toMachineError(error, aside)
  }
  return aside
}
