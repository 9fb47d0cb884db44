import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import { namesIn } from '../../files/folders.ts'
import { rejectClosed } from '../../files/machine-error.ts'
import type { ImportTerms, PlanHead } from '../plan/plan-format.ts'
import { isJob, type JobPaths, jobPaths, removeJob } from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import { headOf, withJob } from '../store/open-job.ts'
import { unendedHint } from './job-errors.ts'
import { type JobState, readJobState, stateOrDamage } from './job-state.ts'

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

/** Undefined members do not limit it. */
export interface PruneQuery {
  /** Ids of jobs, or suffixes of them. */
  readonly words?: readonly string[]
  /** Jobs that contain this email address. */
  readonly person?: string | undefined
  readonly beforeMs?: number | undefined
}

/**
 * The jobs and old drafts that can be removed. CrmError `conflict` if a job that was asked for has not ended, `machine` if it is damaged.
 */
export async function prunable(jobsFolder: string, query: PruneQuery, nowMs: number): Promise<readonly Pruned[]> {
  const { words, person, beforeMs = Number.POSITIVE_INFINITY } = query
  const found: Pruned[] = []
  for (const paths of words?.map((word) => findJob(jobsFolder, word)) ?? allJobs(jobsFolder)) {
    if (person !== undefined && !withJob(paths, (job) => job.contains(person))) continue
    const ended = words || person !== undefined ? endedOrPlanned(await readJobState(paths)) : await endedJob(paths)
    if (ended && ended.endedMs < beforeMs) found.push(ended)
  }
  return words ? found : [...found, ...leftDrafts(jobsFolder, nowMs)]
}

async function endedJob(paths: JobPaths): Promise<Pruned | undefined> {
  const job = await stateOrDamage(paths)
  return job.state === 'finished' || job.state === 'cancelled' ? prunedJob(job) : undefined
}

function endedOrPlanned(job: JobState): Pruned {
  if (job.state === 'stopped' || job.state === 'running') throw unended(job)
  return prunedJob(job)
}

function prunedJob({ paths, state, progress, head }: JobState): Pruned {
  return { id: paths.id, state, endedMs: progress.lastMs ?? head.made_at }
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
    if (id.startsWith('.new-')) rmSync(join(jobsFolder, id), { recursive: true, force: true })
    else {
      const paths = jobPaths(jobsFolder, id)
      if (isJob(paths)) await withJobLock(paths, async () => removeJob(paths))
    }
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
