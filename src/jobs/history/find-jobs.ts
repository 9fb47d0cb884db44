import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import { namesIn } from '../../files/folders.ts'
import { rejectClosed } from '../../files/machine-error.ts'
import type { ImportTerms, PlanHead } from '../plan/plan-format.ts'
import { isJob, type JobPaths, jobPaths, removeJob } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { headOf } from '../store/open-job.ts'
import { stateOrDamage } from './job-state.ts'

/** The jobs of a folder, the oldest first; none if it does not exist. */
export function allJobs(jobsFolder: string): readonly JobPaths[] {
  const ids = new Set<string>()
  for (const name of namesIn(jobsFolder)) {
    const [id = '', ...ending] = name.split('.')
    // Earlier versions had a folder for each job.
    if (id.startsWith(idPrefix('job')) && (ending.length === 0 || (ending.length === 1 && ending[0] === 'db')))
      ids.add(id)
  }
  return [...ids].toSorted().map((id) => jobPaths(jobsFolder, id))
}

/** Undefined for a job that was pruned. */
export function keptJob(jobsFolder: string, id: string): JobPaths | undefined {
  const paths = jobPaths(jobsFolder, id)
  return isJob(paths) ? paths : undefined
}

/** The same; CrmError `machine` where this user cannot look for any. */
export function knownJobs(jobsFolder: string): readonly JobPaths[] {
  const jobs = allJobs(jobsFolder)
  if (jobs.length === 0) rejectClosed(jobsFolder)
  return jobs
}

/** By id, or by a suffix of it that no other job has; CrmError `not_found`. */
export function findJob(jobsFolder: string, word: string): JobPaths {
  const exact = jobPaths(jobsFolder, word)
  if (word.startsWith(idPrefix('job')) && !word.includes('/') && isJob(exact)) return exact
  const found = knownJobs(jobsFolder).filter(({ id }) => word.length >= 3 && id.endsWith(word))
  if (found[0] && found.length === 1) return found[0]
  const reason =
    found.length > 1 ? `${found.length} jobs end in ${JSON.stringify(word)}` : `there is no job ${JSON.stringify(word)}`
  throw new CrmError('not_found', `${reason} in ${jobsFolder}`, { hint: 'crm jobs list' })
}

/** An older draft belongs to a process that has ended. */
const DRAFT_LIFE_MS = 24 * 3_600_000

export interface Pruned {
  readonly id: string
  readonly state: string
  readonly endedMs: number
}

/** Jobs that ended before `beforeMs`; those that can be resumed are kept. */
export async function* prunable(jobsFolder: string, beforeMs: number): AsyncGenerator<Pruned, void, undefined> {
  for (const paths of allJobs(jobsFolder)) {
    const job = await stateOrDamage(paths)
    if (job.state === 'damaged') continue
    const { state, progress, head } = job
    if (state !== 'finished' && state !== 'cancelled') continue
    const endedMs = progress.lastMs ?? head.made_at
    if (endedMs < beforeMs) yield { id: paths.id, state, endedMs }
  }
}

/** Also removes what an interrupted planning left behind. CrmError `machine` for a job that is being sent again since. */
export async function removeJobs(jobsFolder: string, ids: readonly string[], nowMs: number): Promise<void> {
  for (const id of ids) {
    const paths = jobPaths(jobsFolder, id)
    if (isJob(paths)) await withJobLock(paths, async () => removeJob(paths))
  }
  for (const name of namesIn(jobsFolder)) {
    const folder = join(jobsFolder, name)
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (name.startsWith('.new-') && stats && nowMs - stats.mtimeMs > DRAFT_LIFE_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A later job with the rows of this one: of the same run, or its undo. It may have sent a row in doubt, under a key of a
 * higher generation, so this job must not send it again. A retry without a file has only failed rows.
 */
export function successorOf(paths: JobPaths): string | undefined {
  const own = headOf(paths)
  const later = allJobs(paths.jobsFolder).filter(({ id }) => id > paths.id)
  return later.find((each) => {
    const { kind, run, of, account, input } = headOf(each)
    if (kind === 'retry' && !input) return false
    return of === paths.id || (run === own.run && account === own.account)
  })?.id
}

/** How the rows of a job were read: its own terms, else those of the job that it retries. */
export interface RowTerms {
  /** Undefined if no job has them: it was planned by an earlier version, or had no file. */
  readonly terms: ImportTerms | undefined
  /** The kind of the first of those jobs. */
  readonly kind: PlanHead['kind']
}

export function rowTermsOf(jobsFolder: string, paths: JobPaths): RowTerms {
  let head = headOf(paths)
  while (head.terms === undefined && head.kind === 'retry' && head.of !== undefined) {
    const earlier = jobPaths(jobsFolder, head.of)
    // It may have been pruned.
    if (!isJob(earlier)) break
    head = headOf(earlier)
  }
  return { terms: head.terms, kind: head.kind }
}
