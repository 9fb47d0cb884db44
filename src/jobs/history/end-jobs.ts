import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { namesIn } from '../../files/folders.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { isJob, type JobPaths, jobPaths, removeJob } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { Journal } from '../store/journal.ts'
import { convertEarlier, withJob } from '../store/open-job.ts'
import { type Account, JobProgress, rowTotals } from '../store/progress.ts'
import { allJobs, findJob } from './find-jobs.ts'
import { unendedHint } from './job-errors.ts'
import { type JobState, readJobState, stateOrDamage } from './job-state.ts'

/** Ends a job permanently: done rows stay done, and the rest is never sent. */
export function cancelJob(paths: JobPaths, nowMs: () => number): Promise<Account> {
  return withJobLock(paths, async () => {
    await convertEarlier(paths)
    return withJob(paths, (job) => {
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
    })
  })
}

/** Renames the files of a damaged job, so that no command finds it, and returns the new path. CrmError `conflict` for any other job. */
export async function setAside(paths: JobPaths): Promise<string> {
  const state = await damageOrState(paths)
  if (state !== 'damaged') {
    const hint = `crm jobs show ${paths.id}`
    throw new CrmError('conflict', `${paths.id} is ${state}, not damaged, so it is not set aside`, { hint })
  }
  return withJobLock(paths, async () => renameFiles(paths))
}

/** Reads all rows, as other commands do not. */
async function damageOrState(paths: JobPaths): Promise<JobState['state'] | 'damaged'> {
  const { state } = await stateOrDamage(paths)
  try {
    if (state !== 'damaged') withJob(paths, (job) => job.verifyAll())
    return state
  } catch (error) {
    if (error instanceof CrmError) return 'damaged'
    throw error
  }
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

/** An older draft belongs to a process that has ended. */
const DRAFT_LIFE_MS = 24 * 3_600_000

export interface Pruned {
  readonly id: string
  readonly state: string
  readonly endedMs: number
}

/** Undefined members do not limit it. */
export interface PruneQuery {
  /** Ids of jobs, or suffixes of them. */
  readonly words?: readonly string[]
  readonly person?: string | undefined
  readonly beforeMs?: number | undefined
}

/**
 * The jobs and old drafts that can be removed. CrmError `conflict` if a job that was asked for has not ended, `machine` if it is damaged.
 */
export async function prunable(jobsFolder: string, query: PruneQuery, nowMs: number): Promise<readonly Pruned[]> {
  const { words, person, beforeMs = Number.POSITIVE_INFINITY } = query
  const isAsked = words !== undefined || person !== undefined
  const found: Pruned[] = []
  for (const paths of words?.map((word) => findJob(jobsFolder, word)) ?? allJobs(jobsFolder)) {
    if (person !== undefined && !withJob(paths, (job) => job.contains(person))) continue
    const job = await prunedJob(paths, isAsked)
    if (job && job.endedMs < beforeMs) found.push(job)
  }
  return words ? found : [...found, ...leftDrafts(jobsFolder, nowMs)]
}

/** Undefined for one that is kept; a job that was not asked for is kept also before it is sent. */
async function prunedJob(paths: JobPaths, isAsked: boolean): Promise<Pruned | undefined> {
  const job = isAsked ? await readJobState(paths) : await stateOrDamage(paths)
  if (job.state === 'damaged' || (job.state === 'planned' && !isAsked)) return undefined
  if (job.state !== 'stopped' && job.state !== 'running')
    return { id: paths.id, state: job.state, endedMs: job.progress.lastMs ?? job.head.made_at }
  if (isAsked) throw unended(job)
  return undefined
}

function unended(job: JobState): CrmError {
  const { id } = job.paths
  return new CrmError('conflict', `${id} is ${job.state}, and is needed until it has ended; nothing was removed`, {
    hint: unendedHint(job, []),
    job: id,
  })
}

/** Drafts of planning processes that were killed. Each has a copy of its input. */
function leftDrafts(jobsFolder: string, nowMs: number): readonly Pruned[] {
  return namesIn(jobsFolder).flatMap((name) => {
    const stats = name.startsWith('.new-') ? statSync(join(jobsFolder, name), { throwIfNoEntry: false }) : undefined
    if (!stats || nowMs - stats.mtimeMs <= DRAFT_LIFE_MS) return []
    return [{ id: name, state: 'draft', endedMs: stats.mtimeMs }]
  })
}

/** CrmError `conflict` if another process sends one of the jobs. */
export async function removeJobs(jobsFolder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const paths = jobPaths(jobsFolder, id)
    if (id.startsWith('.new-')) rmSync(paths.earlier, { recursive: true, force: true })
    else if (isJob(paths)) await withJobLock(paths, async () => removeJob(paths))
  }
}
